"""The whole product on one machine: web, worker and beat, kept running, stopped together."""
