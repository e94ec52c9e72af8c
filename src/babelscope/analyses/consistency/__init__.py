"""Do translations get the same explanation?"""
