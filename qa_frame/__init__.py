from qa_frame import accessor
