"""What each page is given: frozen values read from rows, ready to be printed. Templates compute nothing."""
