"""What can be said in any language: the inventories and the logic of reviews, news and events."""
