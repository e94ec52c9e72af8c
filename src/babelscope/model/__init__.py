"""The only code that knows transformers: load, encode, erase, score, fine-tune."""
