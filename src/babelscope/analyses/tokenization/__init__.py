"""Is it the tokenizer?"""
