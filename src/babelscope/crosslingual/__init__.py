"""What languages share: words, aligned spaces, consistency of explanations, tokenization and re-segmentation."""
