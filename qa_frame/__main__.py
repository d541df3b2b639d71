"""`python -m qa_frame`."""

from qa_frame.ext.shell import main

raise SystemExit(main())
