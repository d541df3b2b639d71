"""`python -m qa_frame`."""

from qa_frame.cli import main

raise SystemExit(main())
