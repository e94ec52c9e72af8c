"""What a person reads: coloured words, and a page made from a store. Imports no torch."""
