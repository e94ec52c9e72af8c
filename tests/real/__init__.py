"""The numerical laws of METHODS on real pretrained models, in the precision that users get."""
