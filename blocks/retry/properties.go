package retry

func (b *block) properties() {}
