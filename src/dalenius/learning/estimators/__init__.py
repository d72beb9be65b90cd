"""What users fit: scikit-learn estimators, and what evaluates or selects them."""

__all__: list[str] = []
