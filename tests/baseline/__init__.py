"""Numbers of the library before its refactoring, to be compared with those of the code as it is."""
