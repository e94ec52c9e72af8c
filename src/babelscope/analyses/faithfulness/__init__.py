"""Is an explanation as true in Hindi as in English, of the multilingual model as of the
monolingual one?
"""
