# The pictures: this is their one list. `qa_frame/plot.py` imports each from here when it is first asked for.

from .ext.abstention.picture import risk_coverage as risk_coverage
from .ext.annotation.picture import roc as roc
from .ext.plot.distribution import distribution as distribution
from .ext.plot.intervals import compare as compare
from .ext.plot.intervals import ranks as ranks
from .ext.plot.intervals import summary as summary
from .ext.plot.maps import heatmap as heatmap
from .ext.plot.paired import paired as paired
from .ext.plot.trend import pass_at as pass_at
from .ext.plot.trend import trend as trend
