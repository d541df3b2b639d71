# The pictures: this is their one list. `qa_frame/plot.py` imports each from here when it is first asked for.

from .ext.abstention.picture import risk_coverage as risk_coverage
from .ext.plot.curves import trend as trend
from .ext.plot.intervals import compare as compare
from .ext.plot.intervals import ranks as ranks
from .ext.plot.intervals import summary as summary
from .ext.plot.maps import heatmap as heatmap
from .ext.plot.row_scores import distribution as distribution
