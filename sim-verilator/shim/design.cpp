// The verilated model behind the interface Design. table.inc is written for each design: its lines name the variables of the
// model.
#include "hooks.h"
#include "simulation.h"

#include "Vdesign.h"
#include "Vdesign___024root.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace gornic {
namespace {

std::unique_ptr<VerilatedContext> make_context(uint64_t seed, bool waves) {
    auto context = std::make_unique<VerilatedContext>();
    context->threads(1);
    context->randReset(2);
    context->randSeed(int(seed));
    context->traceEverOn(waves);
    return context;
}

class VerilatedDesign final : public Design {
public:
    VerilatedDesign(uint64_t seed, const char* waves)
        : context_(make_context(seed, waves != nullptr)), top_(new Vdesign(context_.get(), "")) {
#define CLOCK(name) \
    binding.clocks.emplace_back(); \
    binding.clocks.back().clk = {&top_->name, 1};
#define RESET(name) binding.clocks.back().rst = {&top_->name, 1};  // of the clock before it
#define PORT(name, width, input) \
    binding.ports.push_back({&top_->name, width}); \
    binding.inputs.push_back(input);
#define COVER(name) binding.covers.push_back({&top_->rootp->name, 64});
#define EVENT(name, number) \
    binding.events.emplace_back(); \
    binding.events.back().when = {&top_->rootp->name, 1}; \
    binding.events.back().clock = number;
#define FIELD(name, width) binding.events.back().fields.push_back({&top_->rootp->name, width});  // of the event before it
#define PART(name) \
    binding.parts.emplace_back(); \
    binding.parts.back().clk = {&top_->name, 1};
// Of the part before it.
#define PART_INPUT(name, width) binding.parts.back().inputs.push_back({&top_->rootp->name, width});
#define PART_WRITE(name, width) binding.parts.back().writes.push_back({&top_->rootp->name, width});
#define PART_STATE(name, width) binding.parts.back().state.push_back({&top_->rootp->name, width});
#define PART_COVER(number) binding.parts.back().covers.push_back(number);
#define PEEK(name, width) binding.peeks.push_back({&top_->rootp->name, width});
#include "table.inc"
#if VM_TRACE
        if (!waves) return;
        trace_.reset(new VerilatedFstC);
        top_->trace(trace_.get(), 99);
        trace_->open(waves);
#endif
    }
    ~VerilatedDesign() override {
        enter();
#if VM_TRACE
        if (trace_) trace_->close();
#endif
        top_->final();
    }
    void enter() override { Verilated::threadContextp(context_.get()); }
    void eval(uint64_t time) override {
        context_->time(time);
        top_->eval();
    }
    void dump(uint64_t time) override {
#if VM_TRACE
        trace_->dump(time);
#endif
    }

private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vdesign> top_;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> trace_;
#endif
};

}  // namespace

std::unique_ptr<Design> make_design(uint64_t seed, const char* waves) {
    return std::make_unique<VerilatedDesign>(seed, waves);
}

}  // namespace gornic
