"""Why a row has its scores: values, text and HTML."""
