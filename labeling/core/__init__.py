"""Pure nouns of the human's half: agreement, calibration, correction, consensus, sampling and tables."""
