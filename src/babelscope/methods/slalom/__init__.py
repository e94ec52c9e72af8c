"""SLALOM: a surrogate model with two numbers per unit (a token or a word), a value and an
importance.

    F(t) = sum_i alpha_i v_i,    alpha_i = exp(s_i) / sum_j exp(s_j),    i, j positions of t

Without a model, arrays in and arrays out:

    surrogate.py   the model F of texts in count form, and of one text (a mixture)
    design.py      which texts are sampled, made of the units of the explained text
    fit.py         importances and values fitted to the answers: Levenberg-Marquardt, L-BFGS
    adam.py        the published fit: Adam for a fixed number of epochs
    exact.py       importances and values of an exact SLALOM from 2T - 1 answers
    joint.py       one fit for all classes: importances shared, values by class
    shapley.py     exact Shapley values of F by quadrature
    scores.py      the seven scores that can be derived from the two numbers
    text.py        design, answers, fit and held-out R2 of one text put together
    baselines.py   additive surrogates that experiments compare SLALOM with

With a model:

    methods.py     the method `slalom` of METHODS: texts of a model's tokens or words
    classes.py     `explain_classes`, the joint fit of a text
    corpus.py      `explain_function` for any function of texts, `fit_corpus`, `without`
"""
