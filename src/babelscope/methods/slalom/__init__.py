"""SLALOM: a surrogate with two numbers per unit, a value and an importance. Arrays only; no model, no torch."""
