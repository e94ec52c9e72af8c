"""Do methods differ in what an explanation costs?"""
