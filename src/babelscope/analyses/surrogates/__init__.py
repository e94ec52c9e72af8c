"""Which surrogate describes the model: one that adds up words, or a SLALOM?"""
