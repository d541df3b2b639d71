"""Responses → their answers.

`steps` is the loop over a column and the table of its steps; each other module finds an answer in one text.
The words by which answers, questions and lists are known stand in `phrases`, one line per language.
"""
