"""Which attention heads matter, and does masking the rest help?"""
