"""Privacy loss distributions: any dominating pairs, composed, with both ends proven."""
