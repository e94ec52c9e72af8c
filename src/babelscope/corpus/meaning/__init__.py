"""Language-independent meanings: the inventories and the logic of reviews, news and events."""
