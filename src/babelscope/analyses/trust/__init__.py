"""Can this one explanation be trusted?"""
