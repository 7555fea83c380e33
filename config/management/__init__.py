"""Commands that run the whole product on one machine."""
