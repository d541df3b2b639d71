# The parts of conventions: `qa_frame.rules.Text` and the others. This is their one list.

from .languages import ARTICLES as ARTICLES
from .languages import STOP_WORDS as STOP_WORDS
from .parts import Bleu as Bleu
from .parts import Chrf as Chrf
from .parts import Contains as Contains
from .parts import Convention as Convention
from .parts import EditDistance as EditDistance
from .parts import Empty as Empty
from .parts import Exact as Exact
from .parts import Numbers as Numbers
from .parts import Overlap as Overlap
from .parts import RougeL as RougeL
from .text_parts import NO_REFUSAL as NO_REFUSAL
from .text_parts import REFUSAL as REFUSAL
from .text_parts import Blank as Blank
from .text_parts import Delete as Delete
from .text_parts import Drop as Drop
from .text_parts import Replace as Replace
from .text_parts import Space as Space
from .text_parts import Text as Text
