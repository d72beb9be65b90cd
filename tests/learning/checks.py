"""What scikit-learn's own checks ask that noise or privacy make impossible, and why."""

DRAWN = "two fits draw two noises: only chance makes them equal"
ROW = "an error about one element, or about there being no rows, would tell of a row: what is no number has a rule"

CLASSIFIER = {
    "check_all_zero_sample_weights_error": ROW,
    "check_sample_weight_equivalence_on_dense_data": DRAWN,
    "check_dtype_object": ROW,
    "check_fit_idempotent": DRAWN,
    "check_classifier_data_not_an_array": DRAWN,
    "check_supervised_y_2d": DRAWN,
    "check_classifiers_classes": DRAWN,
    "check_class_weight_classifiers": DRAWN,
}
REGRESSOR = {
    "check_all_zero_sample_weights_error": ROW,
    "check_sample_weight_equivalence_on_dense_data": DRAWN,
    "check_dtype_object": ROW,
    "check_fit_idempotent": DRAWN,
    "check_regressor_data_not_an_array": DRAWN,
    "check_supervised_y_2d": DRAWN,
    "check_supervised_y_no_nan": ROW,
    "check_estimators_empty_data_messages": ROW,
    "check_regressors_int": DRAWN,
}
TRANSFORMER = {
    "check_dtype_object": ROW,
    "check_estimators_empty_data_messages": ROW,
    "check_fit_idempotent": DRAWN,
    "check_transformer_data_not_an_array": DRAWN,
    "check_transformer_general": DRAWN,
}
