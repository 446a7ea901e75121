package main

import (
	"gornic/format"
	"gornic/verbs"
)

// invalidateRules are LOCAL_INVs (protocol section 6).
func invalidateRules() []fault {
	inv := func(key keyChoice) func(keyring, bool) (keyWork, error) {
		return func(k keyring, wrong bool) (keyWork, error) {
			x, err := key(k, wrong)
			return k.invalidate(x), err
		}
	}
	var cases []keyCase
	for _, e := range endings() {
		cases = append(cases, keyCase{e.name, e.what, e.vendor, inv(e.key)})
	}
	return localRules("local-inv", format.StatusLocQPOp, cases)
}

// endings are keys that may not be ended by LOCAL_INV and SEND with invalidate, and ones
// that may.
func endings() []badChoice {
	changed := func(by uint32) keyChoice {
		return func(k keyring, wrong bool) (uint32, error) {
			key, err := k.fast(allAccess)
			return pick(wrong, key^by, key), err
		}
	}
	return []badChoice{
		{"unknown", "a key that was never made", format.VendorKeyUnknown, changed(0x200 << format.KeyTagBits)},
		{"beyond-table", "a key behind the end of the key table", format.VendorKeyUnknown, changed(1 << 31)},
		{"tag", "a key with the tag of another life", format.VendorKeyUnknown, changed(1)},
		{"pd", "a region of another protection domain", format.VendorKeyPD, func(k keyring, wrong bool) (uint32, error) {
			if wrong {
				return k.free(true)
			}
			return k.fast(allAccess)
		}},
		{"window-qp", "a window of type 2 that another queue pair bound", format.VendorKeyPD, func(k keyring, wrong bool) (key uint32, err error) {
			by := k
			if wrong {
				if by, err = k.other(); err != nil {
					return 0, err
				}
			}
			return by.bound(verbs.MWType2, nil)
		}},
		{"region", "a region that was not made by REG_MR", format.VendorKeyType, func(k keyring, wrong bool) (uint32, error) {
			if wrong {
				return k.region(allAccess)
			}
			return k.fast(allAccess)
		}},
		{"window-type-1", "a window of type 1", format.VendorKeyType, func(k keyring, wrong bool) (uint32, error) {
			return k.bound(pick(wrong, verbs.MWType1, verbs.MWType2), nil)
		}},
		{"state", "a region that is not valid", format.VendorKeyState, func(k keyring, wrong bool) (uint32, error) {
			if wrong {
				return k.free(false)
			}
			return k.fast(allAccess)
		}},
		{"window-state", "a window that is not bound", format.VendorKeyState, func(k keyring, wrong bool) (uint32, error) {
			if wrong {
				return k.window(verbs.MWType2, false)
			}
			return k.bound(verbs.MWType2, nil)
		}},
		{"bound", "a region with a window", format.VendorKeyBound, func(k keyring, wrong bool) (uint32, error) {
			region, err := k.fast(allAccess | verbs.AccessMWBind)
			if err != nil {
				return 0, err
			}
			w, err := k.window(verbs.MWType2, false)
			if err != nil {
				return 0, err
			}
			work := []keyWork{k.bind(w, region)}
			if !wrong {
				work = append(work, k.invalidate(w))
			}
			return region, k.do(work...)
		}},
	}
}

// registerRules are REG_MRs (protocol section 6).
func registerRules() []fault {
	operand := func(name, what string, vendor format.VendorCode, change func(*keyWork)) keyCase {
		return keyCase{name, what, vendor, func(k keyring, wrong bool) (keyWork, error) {
			key, err := k.free(false)
			w := k.register(key, allAccess)
			if wrong {
				change(&w)
			}
			return w, err
		}}
	}
	key := func(name, what string, vendor format.VendorCode, bad func(k keyring) (uint32, error)) keyCase {
		return keyCase{name, what, vendor, func(k keyring, wrong bool) (keyWork, error) {
			key, err := k.free(false)
			if wrong && err == nil {
				key, err = bad(k)
			}
			return k.register(key, allAccess), err
		}}
	}
	pages := func(shift, list uint64) func(*keyWork) {
		return func(w *keyWork) { w.reg.PageShift, w.reg.Translation = shift, w.reg.Translation&^0xFFFF+list }
	}
	return localRules("reg-mr", format.StatusLocQPOp, []keyCase{
		operand("unknown", "an entry that was never made", format.VendorKeyUnknown, func(w *keyWork) { w.key ^= 0x200 << format.KeyTagBits }),
		operand("beyond-table", "an entry behind the end of the key table", format.VendorKeyUnknown, func(w *keyWork) { w.key |= 1 << 31 }),
		key("pd", "a region of another protection domain", format.VendorKeyPD, func(k keyring) (uint32, error) { return k.free(true) }),
		key("region", "a region that is not for fast registration", format.VendorKeyType, func(k keyring) (uint32, error) { return k.region(allAccess) }),
		key("window", "a window", format.VendorKeyType, func(k keyring) (uint32, error) { return k.window(verbs.MWType2, false) }),
		key("valid", "a region that is valid already", format.VendorKeyState, func(k keyring) (uint32, error) { return k.fast(allAccess) }),
		operand("write", "remote write without local write", format.VendorKeyRights, func(w *keyWork) { w.reg.Rights = format.AccessRemoteWrite }),
		operand("atomic", "remote atomics without local write", format.VendorKeyRights, func(w *keyWork) {
			w.reg.Rights = format.AccessRemoteAtomic | format.AccessRemoteRead
		}),
		operand("wrap", "virtual addresses that wrap at 2^64", format.VendorKeyRange, func(w *keyWork) { w.addr = ^uint64(0) - faultBuffer + 2 }),
		operand("wrap-bus", "bus addresses that wrap at 2^64", format.VendorKeyRange, func(w *keyWork) { w.reg.Translation = ^uint64(0) - faultBuffer + 2 }),
		operand("small-pages", "pages of less than 4 KiB", format.VendorKeyRange, pages(11, 0)),
		operand("large-pages", "pages of more than 2 MiB", format.VendorKeyRange, pages(22, 0)),
		operand("list", "a page list that is not aligned", format.VendorKeyRange, pages(12, 4)),
	})
}

// bindRules are BIND_MWs of both types (protocol section 6).
func bindRules() []fault {
	return append(append(bindRulesOf("bind-1", verbs.MWType1), bindRulesOf("bind-2", verbs.MWType2)...),
		localRules("bind-2", format.StatusMWBind, []keyCase{
			{"bound", "a window of type 2 that is bound", format.VendorKeyState, func(k keyring, wrong bool) (keyWork, error) {
				w, err := k.bound(verbs.MWType2, nil)
				if err == nil && !wrong {
					err = k.do(k.invalidate(w))
				}
				return k.bind(verbs.IncRKey(w), k.mr.RKey()), err
			}},
			{"no-bytes", "a window of type 2 of no bytes", format.VendorKeyRange, func(k keyring, wrong bool) (keyWork, error) {
				w, err := k.window(verbs.MWType2, false)
				b := k.bind(w, k.mr.RKey())
				b.bind.Length = pick[uint64](wrong, 0, 1)
				return b, err
			}},
		})...)
}

func bindRulesOf(family string, kind verbs.MWType) []fault {
	operand := func(name, what string, vendor format.VendorCode, change func(*keyWork)) keyCase {
		return keyCase{name, what, vendor, func(k keyring, wrong bool) (keyWork, error) {
			w, err := k.window(kind, false)
			b := k.bind(w, k.mr.RKey())
			if wrong {
				change(&b)
			}
			return b, err
		}}
	}
	window := func(name, what string, vendor format.VendorCode, bad func(k keyring) (uint32, error)) keyCase {
		return keyCase{name, what, vendor, func(k keyring, wrong bool) (keyWork, error) {
			w, err := k.window(kind, false)
			if wrong && err == nil {
				w, err = bad(k)
			}
			return k.bind(w, k.mr.RKey()), err
		}}
	}
	region := func(name, what string, vendor format.VendorCode, rights verbs.Access, bad func(k keyring) (uint32, error)) keyCase {
		return keyCase{name, what, vendor, func(k keyring, wrong bool) (keyWork, error) {
			w, err := k.window(kind, false)
			b := k.bind(w, k.mr.RKey())
			b.bind.Rights = uint64(rights)
			if wrong && err == nil {
				var key uint32
				key, err = bad(k)
				b.bind.Region = uint64(key)
			}
			return b, err
		}}
	}
	of := func(access verbs.Access) func(keyring) (uint32, error) {
		return func(k keyring) (uint32, error) { return k.region(access) }
	}
	const bindable = allAccess | verbs.AccessMWBind
	return localRules(family, format.StatusMWBind, []keyCase{
		operand("unknown", "a window that was never made", format.VendorKeyUnknown, func(w *keyWork) { w.key ^= 0x200 << format.KeyTagBits }),
		operand("beyond-table", "a window behind the end of the key table", format.VendorKeyUnknown, func(w *keyWork) { w.key |= 1 << 31 }),
		window("pd", "a window of another protection domain", format.VendorKeyPD, func(k keyring) (uint32, error) { return k.window(kind, true) }),
		window("type", "a region in the place of the window", format.VendorKeyType, func(k keyring) (uint32, error) { return k.free(false) }),
		operand("local-write", "a right that a window does not have", format.VendorKeyRights, func(w *keyWork) { w.bind.Rights |= format.AccessLocalWrite }),
		operand("zero-based", "a window that is zero-based", format.VendorKeyRights, func(w *keyWork) { w.bind.Rights |= format.AccessZeroBased }),
		operand("region-unknown", "a region that was never made", format.VendorKeyUnknown, func(w *keyWork) { w.bind.Region ^= 0x200 << format.KeyTagBits }),
		operand("region-tag", "a region with the tag of another life", format.VendorKeyUnknown, func(w *keyWork) { w.bind.Region ^= 1 }),
		region("region-pd", "a region of another protection domain", format.VendorKeyPD, windowAccess, func(k keyring) (uint32, error) {
			pd, err := k.pd(true)
			if err != nil {
				return 0, err
			}
			return k.regionIn(pd, bindable)
		}),
		region("region-type", "a window in the place of the region", format.VendorKeyType, windowAccess, func(k keyring) (uint32, error) {
			return k.bound(verbs.MWType1, nil)
		}),
		region("region-state", "a region that is not valid", format.VendorKeyState, windowAccess, func(k keyring) (uint32, error) { return k.free(false) }),
		region("right", "a region without the right to bind", format.VendorKeyRights, windowAccess, of(allAccess)),
		region("write", "the right to write, of a region without local write", format.VendorKeyRights, verbs.AccessRemoteWrite, of(verbs.AccessMWBind|verbs.AccessRemoteRead)),
		region("atomic", "the right to atomics, of a region without local write", format.VendorKeyRights, verbs.AccessRemoteAtomic, of(verbs.AccessMWBind|verbs.AccessRemoteRead)),
		operand("below", "a window that starts a byte below the region", format.VendorKeyRange, func(w *keyWork) { w.addr -= atFault + 1 }),
		operand("above", "a window that ends a byte above the region", format.VendorKeyRange, func(w *keyWork) { w.bind.Length = faultBuffer - atFault + 1 }),
		operand("wrap", "a window that wraps at 2^64", format.VendorKeyRange, func(w *keyWork) { w.bind.Length = -w.addr + 1 }),
	})
}
