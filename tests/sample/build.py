"""Write the embedded sample: three fictional models answering 120 hand-written questions.

Run this file to rewrite ``qa_frame/data/sample.parquet``. Nothing here is random, so the rows are the
same on every run: dataset by dataset, question by question, one row per model.
"""

from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

TARGET = Path(__file__).resolve().parents[2] / "qa_frame" / "data" / "sample.parquet"

MODELS = ("heron-7b", "lynx-70b", "otter-chat")

SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string()),
        pa.field("model", pa.string()),
        pa.field("dataset", pa.string()),
        pa.field("question", pa.string()),
        pa.field("response", pa.string()),
        pa.field("answers", pa.list_(pa.string())),
    ]
)


class Entry(NamedTuple):
    """One question, its acceptable answers, and what each model in ``MODELS`` replied.

    A reply of ``None`` never arrived. ``answers`` is empty when the question has no answer at all, and
    ``None`` when nobody recorded one.
    """

    question_id: str
    question: str
    answers: list[str | None] | None
    heron: str | None
    lynx: str | None
    otter: str | None


# Short answers: names, dates, numbers, titles. The odd spacing, case and markup are deliberate.
FACTS = [
    Entry(
        "capitals-01",
        "What is the capital of Australia?",
        ["Canberra"],
        "Sydney",
        "Canberra",
        "The capital of Australia is **Canberra**, which was chosen as a compromise between Sydney and Melbourne.",
    ),
    Entry(
        "capitals-02",
        "What is the capital of Canada?",
        ["Ottawa", "Ottawa, Ontario"],
        "ottawa",
        "Ottawa.",
        "Canada's capital city is Ottawa, in the province of Ontario.",
    ),
    Entry(
        "capitals-03",
        "What is the capital of Brazil?",
        ["Brasília", "Brasilia"],
        "Rio de Janeiro",
        "Brasilia",
        "Brazil's capital is Brasília.\n\nIt took over from Rio de Janeiro in 1960.",
    ),
    Entry(
        "capitals-04",
        "What is the capital of the United States?",
        ["Washington, D.C.", "Washington DC", "Washington"],
        "New York",
        "Washington D.C.",
        "The capital of the United States is Washington, D.C. (the District of Columbia).",
    ),
    Entry(
        "capitals-05",
        "Which city is the seat of the Swiss federal government?",
        ["Bern", "Berne", "City of Bern"],
        "Zurich",
        "Bern",
        "Although many people guess Zurich or Geneva, the Swiss federal government sits in Berne.",
    ),
    Entry(
        "capitals-06",
        "What is the capital of Mongolia?",
        ["Ulaanbaatar", "Ulan Bator"],
        "ulan bator",
        "Ulaanbaatar",
        "The capital of Mongolia is Ulaanbaatar 🇲🇳, home to nearly half of the country's people.",
    ),
    Entry(
        "years-01",
        "In which year did Apollo 11 land on the Moon?",
        ["1969"],
        "1969",
        "1969",
        "Apollo 11 landed on the Moon on 20 July 1969.",
    ),
    Entry(
        "years-02",
        "When did the Berlin Wall fall?",
        ["9 November 1989", "November 9, 1989", "1989"],
        "1991",
        "9 November 1989",
        "The Berlin Wall fell on the night of **9 November 1989**, after a muddled press conference in East Berlin.",
    ),
    Entry(
        "years-03",
        "In which year was the Battle of Hastings fought?",
        ["1066", "AD 1066"],
        "1066.",
        "1066",
        "The battle took place in 1066, when William of Normandy defeated King Harold.",
    ),
    Entry(
        "years-04",
        "On what date was the Bastille stormed?",
        ["14 July 1789", "July 14, 1789", "14 July, 1789"],
        "1789",
        "July 14th, 1789",
        "The storming of the Bastille took place on 14  July  1789.",
    ),
    Entry(
        "years-05",
        "In which century was Newton's Principia first published?",
        ["the 17th century", "17th century", "seventeenth century"],
        "18th century",
        "17th Century",
        "It was published in 1687, so in the seventeenth century.",
    ),
    Entry(
        "years-06",
        "In which years did the First World War begin and end?",
        ["1914–1918", "1914-1918", "1914 to 1918", "1914 and 1918"],
        "1914-1919",
        "1914 – 1918",
        "The First World War began in July 1914 and ended in November 1918.",
    ),
    Entry(
        "chemistry-01",
        "What is the chemical symbol for gold?",
        ["Au"],
        "Go",
        "Au",
        "The chemical symbol for gold is `Au`, from the Latin *aurum*.",
    ),
    Entry(
        "chemistry-02",
        "What is the chemical formula of water?",
        ["H2O", "H₂O"],
        "h2o",
        "H₂O",
        "Water is H2O: two hydrogen atoms bonded to one oxygen atom 💧",
    ),
    Entry(
        "chemistry-03",
        "Which element has atomic number 1?",
        ["hydrogen", "H"],
        "Helium",
        "Hydrogen",
        "The element with atomic number 1 is hydrogen (symbol H).",
    ),
    Entry(
        "chemistry-04",
        "What is the everyday name for sodium chloride?",
        ["table salt", "salt", "common salt"],
        "salt",
        "Table salt",
        "Sodium chloride is better known as common salt or table salt.",
    ),
    Entry(
        "chemistry-05",
        "Which gas makes up most of Earth's atmosphere?",
        ["nitrogen", "N2", "nitrogen gas"],
        "oxygen",
        "Nitrogen (N2)",
        "Nitrogen makes up about 78% of the atmosphere; oxygen comes second at about 21%.",
    ),
    Entry(
        "chemistry-06",
        "Which two elements make up ammonia?",
        ["nitrogen and hydrogen", "hydrogen and nitrogen"],
        "nitrogen",
        "Hydrogen & nitrogen",
        "Ammonia, NH3, is made of:\n\n- nitrogen\n- hydrogen",
    ),
    Entry(
        "people-01",
        "Who wrote The Lord of the Rings?",
        ["J. R. R. Tolkien", "J.R.R. Tolkien", "John Ronald Reuel Tolkien", "Tolkien"],
        "C. S. Lewis",
        "JRR Tolkien",
        "*The Lord of the Rings* was written by J. R. R. Tolkien and published in 1954 and 1955.",
    ),
    Entry(
        "people-02",
        "Who won Nobel Prizes in both physics and chemistry?",
        ["Marie Curie", "Marie Skłodowska-Curie", "Marie Sklodowska Curie", "Maria Skłodowska-Curie"],
        "curie",
        "Marie Curie",
        "Marie Skłodowska-Curie won the physics prize in 1903 and the chemistry prize in 1911.",
    ),
    Entry(
        "people-03",
        "Which philosopher wrote Being and Nothingness?",
        ["Jean-Paul Sartre", "Sartre"],
        "Martin Heidegger",
        "Jean Paul Sartre",
        "That would be Jean-Paul Sartre, who published it in 1943.",
    ),
    Entry(
        "people-04",
        "Who painted the Mona Lisa?",
        ["Leonardo da Vinci", "Leonardo", "da Vinci"],
        "Da vinci",
        "Leonardo da Vinci",
        "The Mona Lisa was painted by Leonardo da Vinci in the early sixteenth century 🎨",
    ),
    Entry(
        "people-05",
        "Who was the first human being to travel into space?",
        ["Yuri Gagarin", "Yuri Alekseyevich Gagarin", "Gagarin"],
        "Neil Armstrong",
        "Yuri Gagarin",
        "I'm not sure.",
    ),
    Entry(
        "people-06",
        "Who composed the 1812 Overture?",
        ["Pyotr Ilyich Tchaikovsky", "Tchaikovsky", "Peter Tchaikovsky", "P. I. Tchaikovsky"],
        None,
        "Pyotr Tchaikovsky",
        "The *1812 Overture* was composed by Pyotr Ilyich Tchaikovsky, complete with cannon fire.",
    ),
    Entry(
        "people-07",
        "Which married couple discovered artificial radioactivity in 1934?",
        ["Irène and Frédéric Joliot-Curie", "Frédéric and Irène Joliot-Curie", "the Joliot-Curies"],
        "Pierre and Marie Curie",
        "Irene and Frederic Joliot-Curie",
        "Artificial radioactivity was discovered by Frédéric Joliot-Curie and his wife, Irène Joliot-Curie.",
    ),
    Entry(
        "places-01",
        "Which river flows through Paris?",
        ["the Seine", "Seine", "River Seine"],
        "Loire",
        "The Seine",
        "The river that flows through Paris is the Seine.",
    ),
    Entry(
        "places-02",
        "Which river flows through Vienna, Budapest and Belgrade?",
        ["the Danube", "Danube", "River Danube"],
        "the rhine",
        "Danube River",
        "All three cities stand on the Danube, which ends in the Black Sea.",
    ),
    Entry(
        "places-03",
        "What is the deepest lake in the world?",
        ["Lake Baikal", None, "Baikal"],
        "Lake Superior",
        "Baikal",
        "The deepest lake in the world is Lake Baikal in Siberia, at about 1,640 metres.",
    ),
    Entry(
        "places-04",
        "Which river carved the Grand Canyon?",
        ["the Colorado River", "Colorado River", "Colorado"],
        "",
        "The Colorado River",
        "The Grand Canyon was carved by the Colorado River over millions of years.",
    ),
    Entry(
        "places-05",
        "What is the highest mountain above sea level?",
        ["Mount Everest", "Mt. Everest", "Everest", "Sagarmatha", "Chomolungma"],
        "K2",
        "Mt Everest",
        "Mount Everest, known as Sagarmatha in Nepal and Chomolungma in Tibet, is the highest.",
    ),
    Entry(
        "places-06",
        "Which strait separates Spain from Morocco?",
        ["the Strait of Gibraltar", "Strait of Gibraltar", "Straits of Gibraltar"],
        "gibraltar",
        "Strait of Gibraltar",
        "Spain and Morocco are separated by the Strait of Gibraltar, only 13 km or so at its narrowest.",
    ),
    Entry(
        "numbers-01",
        "How many metres are there in a kilometre?",
        ["1,000", "1000", "one thousand", "a thousand"],
        "100",
        "1\u202f000",
        "There are 1,000 metres in one kilometre.",
    ),
    Entry(
        "numbers-02",
        "What is the value of pi to two decimal places?",
        ["3.14"],
        "3,14",
        "3.14",
        "To two decimal places, π ≈ 3.14.",
    ),
    Entry(
        "numbers-03",
        "How many seconds are there in 24 hours?",
        ["86,400", "86400", "86 400"],
        "3600",
        "86400",
        "24 hours × 60 minutes × 60 seconds = **86,400 seconds**",
    ),
    Entry(
        "numbers-04",
        "What is the exact speed of light in a vacuum, in metres per second?",
        ["299,792,458", "299792458", "299 792 458", "299,792,458 m/s"],
        "300,000",
        "299792458 m/s",
        "The speed of light in a vacuum is exactly 299.792.458 metres per second.",
    ),
    Entry(
        "numbers-05",
        "What percentage is equal to three quarters?",
        ["75%", "75 %", "75 per cent", "75 percent"],
        "0.75",
        "75 percent",
        "Three quarters is the same as 75%.",
    ),
    Entry(
        "numbers-06",
        "At what temperature do the Celsius and Fahrenheit scales agree?",
        ["-40", "-40 degrees", "minus 40", "minus forty"],
        "40",
        "−40°",
        "The two scales meet at -40 degrees: -40 °C is exactly -40 °F 🥶",
    ),
    Entry(
        "numbers-07",
        "How many millimetres are there in one inch?",
        ["25.4", "25.4 mm", "25.4 millimetres"],
        "25",
        "25.40",
        "One inch is defined as exactly 25.4 millimetres.",
    ),
    Entry(
        "numbers-08",
        "How many sides does a hexagon have?",
        ["six", "6", "six sides"],
        "6",
        "Six.",
        "A hexagon has six (6) sides.",
    ),
    Entry(
        "titles-01",
        "In which book does Bilbo Baggins first appear?",
        ["The Hobbit", "The Hobbit, or There and Back Again"],
        "Lord of the Rings",
        "Hobbit",
        "Bilbo Baggins first appears in “The Hobbit”, published in 1937.",
    ),
    Entry(
        "titles-02",
        "Which George Orwell novel introduced Big Brother?",
        ["Nineteen Eighty-Four", "1984"],
        "animal farm",
        "1984",
        "Big Brother comes from George Orwell's *Nineteen Eighty-Four* (often written *1984*).",
    ),
    Entry(
        "titles-03",
        "Which Jane Austen novel has Elizabeth Bennet as its heroine?",
        ["Pride and Prejudice", "Pride & Prejudice"],
        "Emma",
        "'Pride and Prejudice'",
        "Elizabeth Bennet is the heroine of Pride &amp; Prejudice.",
    ),
    Entry(
        "titles-04",
        "In which Shakespeare play does Shylock appear?",
        ["The Merchant of Venice", "Merchant of Venice"],
        "Othello",
        '"The Merchant of Venice"',
        "Shylock is a moneylender in\nThe Merchant of Venice.",
    ),
    Entry(
        "titles-05",
        "Which Dickens novel opens with “It was the best of times, it was the worst of times”?",
        ["A Tale of Two Cities", "Tale of Two Cities"],
        "Tale of two citys",
        "A Tale of Two Cities",
        None,
    ),
    Entry(
        "terms-01",
        "Which country's flag has fifty stars and thirteen stripes?",
        ["U.S.", "United States", "the United States of America", "USA", "U.S.A."],
        "america",
        "US",
        "The flag with fifty stars and thirteen stripes belongs to the United States of America.",
    ),
    Entry(
        "terms-02",
        "What does DNA stand for?",
        ["deoxyribonucleic acid"],
        "dioxyribonucleic acid",
        "Deoxyribonucleic acid",
        "DNA stands for *deoxyribonucleic acid*, the molecule that carries genetic information 🧬",
    ),
    Entry(
        "terms-03",
        "Which Latin phrase does the abbreviation “e.g.” stand for?",
        ["exempli gratia"],
        "for example",
        "  exempli gratia ",
        "The abbreviation “e.g.” stands for exempli gratia, which means “for example”.",
    ),
    Entry(
        "german-01",
        "Wie lautet das Gegenteil von „klein“?",
        ["groß"],
        "gross",
        "Groß.",
        "Das Gegenteil von „klein“ ist **groß**.",
    ),
    Entry(
        "french-01",
        "Quel est le plus haut sommet des Alpes ?",
        ["le mont Blanc", "mont Blanc"],
        "Le Cervin",
        "Mont-Blanc",
        "Le plus haut sommet des Alpes est le mont Blanc, qui domine la vallée de Chamonix.",
    ),
    Entry(
        "spanish-01",
        "¿Cuál es la capital de Colombia?",
        ["Bogotá", "Bogotá, D. C."],
        "Medellín",
        "Bogota\u0301",
        "La capital de Colombia es Bogotá. ¡Espero que te sirva! 😊",
    ),
    Entry(
        "turkish-01",
        "Türkiye'nin en kalabalık şehri hangisidir?",
        ["İstanbul"],
        "Ankara",
        "İSTANBUL",
        "Türkiye'nin en kalabalık şehri İstanbul'dur.",
    ),
    Entry(
        "turkish-02",
        "Türkiye'nin en yüksek dağı hangisidir?",
        ["Ağrı Dağı", "Büyük Ağrı Dağı"],
        "agri dagi",
        "AĞRI DAĞI",
        "En yüksek dağ, 5.137 metre ile Ağrı Dağı'dır.",
    ),
    Entry(
        "greek-01",
        "Σε ποιον αποδίδεται η Οδύσσεια;",
        ["Όμηρος", "ο Όμηρος", "στον Όμηρο"],
        "Σοφοκλής",
        "ΟΜΗΡΟΣ",
        "Η Οδύσσεια αποδίδεται στον Όμηρο, τον αρχαίο επικό ποιητή.",
    ),
    Entry(
        "japanese-01",
        "日本で一番高い山の標高は何メートルですか。",
        ["3776", "3,776", "3776メートル", "3776m"],
        "富士山",
        "３７７６メートル",
        "日本で一番高い山は富士山で、標高は約3776メートルです。",
    ),
    Entry(
        "chinese-01",
        "中国的首都是哪里？",
        ["北京", "北京市"],
        "上海",
        "北京。",
        "中国的首都是北京市。",
    ),
    Entry(
        "arabic-01",
        "ما هي عاصمة مصر؟",
        ["القاهرة"],
        "الإسكندرية",
        "القَاهِرَة",
        "عاصمة مصر هي القاهرة، وتقع على نهر النيل.",
    ),
    Entry(
        "hindi-01",
        "भारत की राजधानी क्या है?",
        ["नई दिल्ली"],
        "दिल्ली",
        "नई दिल्ली",
        "भारत की राजधानी नई दिल्ली है।",
    ),
    Entry(
        "unanswerable-01",
        "Who was the king of France in 1950?",
        [],
        "Louis XX",
        "No one",
        "France had no king in 1950: it was a republic, with Vincent Auriol as its president.",
    ),
    Entry(
        "unanswerable-02",
        "What is the capital city of the Atlantic Ocean?",
        [],
        None,
        "",
        "I'm not sure. Oceans do not have capital cities.",
    ),
    Entry(
        "unrecorded-01",
        "What number am I thinking of?",
        None,
        "7",
        None,
        "I can't read minds, but many people who are asked this think of 7 🙂",
    ),
]

# One or two sentences: why, how and describe. Some questions also accept a short answer.
EXPLAIN = [
    Entry(
        "why-01",
        "Why is the sky blue?",
        [
            "Air molecules scatter short blue wavelengths of sunlight far more strongly than long red ones, so blue light reaches us from every direction.",
            "Rayleigh scattering",
        ],
        "because it reflects the ocean",
        "Air scatters blue light more strongly than red light (Rayleigh scattering).",
        "Great question! The sky looks blue because of **Rayleigh scattering**: air molecules scatter the short blue wavelengths of sunlight much more than the long red ones, so blue light reaches your eyes from all over the sky.",
    ),
    Entry(
        "why-02",
        "Why does the Sun look red at sunset?",
        [
            "Its light crosses more air when it is low, so most of the blue is scattered away and mainly red and orange light reaches us.",
        ],
        "The sun is colder in the evening.",
        "Low sunlight passes through more air, which scatters away most of the blue and leaves mainly red and orange.",
        "At sunset the light has a much longer path through the atmosphere. Along the way most of the blue light is scattered out, and what is left is mostly red and orange 🌇",
    ),
    Entry(
        "why-03",
        "Why does ice float on water?",
        [
            "Water expands when it freezes, so ice is less dense than the liquid water around it.",
            "Ice is less dense than water.",
        ],
        "ice is lighter",
        "Ice is less dense than water",
        "Ice floats because it is less dense than liquid water. When water freezes, its molecules lock into an open lattice that takes up about 9% more room.",
    ),
    Entry(
        "why-04",
        "Why does the Earth have seasons?",
        [
            "The Earth's axis is tilted, so each hemisphere leans towards the Sun for part of the year and away from it for another part.",
            "the tilt of the Earth's axis",
        ],
        "Because the Earth gets closer to the Sun in summer.",
        "Because the Earth's axis is tilted by about 23.4 degrees, each hemisphere leans towards the Sun for part of the year and away for the rest.",
        "Seasons are caused by the tilt of the Earth's axis, not by its distance from the Sun.\n\n- In summer your hemisphere leans towards the Sun.\n- In winter it leans away.",
    ),
    Entry(
        "why-05",
        "Why does iron rust?",
        [
            "Iron reacts with oxygen in the presence of water and forms hydrated iron oxide, which is rust.",
            "Iron is oxidised by oxygen and water.",
        ],
        "It gets wet.",
        "Iron reacts with oxygen and water to form hydrated iron oxide.",
        "Rust is what you get when iron, oxygen and water meet: the iron is oxidised, and hydrated iron(III) oxide forms. Salt speeds the process up, which is why cars rust faster by the sea.",
    ),
    Entry(
        "why-06",
        "Why do leaves change colour in autumn?",
        [
            "Trees break down the green chlorophyll in their leaves, which reveals yellow and orange pigments that it had hidden.",
        ],
        "leaves die",
        "As chlorophyll breaks down, the yellow and orange pigments it was hiding become visible.",
        "When days grow short, trees stop making chlorophyll and break down what they have. The green fades, and the carotenoids that were there all along show up as yellow and orange 🍂",
    ),
    Entry(
        "why-07",
        "Why do onions make you cry when you cut them?",
        [
            "Cutting an onion breaks its cells and releases a sulphur compound whose vapour irritates the eyes, which make tears to wash it away.",
            "They release an irritating sulphur gas.",
        ],
        "the smell is strong",
        "Cut onions release an irritating sulfur gas, and your eyes water to flush it out.",
        "Cutting an onion damages its cells, which lets enzymes produce a volatile sulphur compound (syn-propanethial-S-oxide).  When that vapour reaches your eyes, they produce tears to wash it away.",
    ),
    Entry(
        "why-08",
        "Why do we have leap years?",
        [
            "The Earth takes about 365.25 days to orbit the Sun, so an extra day roughly every four years keeps the calendar in step with the seasons.",
        ],
        "To make February longer.",
        "A year lasts about 365.2422 days, so extra days keep the calendar aligned with the seasons.",
        "One trip around the Sun takes roughly 365¼ days. Without an extra day every four years or so, the calendar would slowly drift away from the seasons.",
    ),
    Entry(
        "why-09",
        "Why do we always see the same side of the Moon?",
        [
            "The Moon turns once on its axis in the time it takes to orbit the Earth, so the same face always points towards us.",
            "tidal locking",
            "The Moon is tidally locked to the Earth.",
        ],
        "The moon does not rotate.",
        "Tidal locking.",
        "The Moon is tidally locked: it rotates on its axis in exactly the same time that it takes to go around the Earth, so one face always points our way 🌕",
    ),
    Entry(
        "why-10",
        "Why is the sea salty?",
        [
            "Rain and rivers dissolve minerals from rocks and carry them to the sea, where the water evaporates and the salts stay behind.",
        ],
        "",
        "Rivers carry dissolved minerals from rocks into the sea; water evaporates but the salts remain.",
        "Most of the salt comes from the land: slightly acidic rain weathers rocks, rivers carry the dissolved minerals to the sea, and evaporation leaves them behind. Hydrothermal vents add some more.",
    ),
    Entry(
        "why-11",
        "Why does metal feel colder than wood at the same temperature?",
        [
            "Metal conducts heat better than wood, so it draws heat away from your skin faster.",
            "Metal is a better conductor of heat.",
        ],
        "Metal is colder than wood",
        "Metal is a better conductor of heat, so it draws heat from your hand more quickly.",
        "Both are at the same temperature, but metal conducts heat much better than wood. It pulls heat out of your skin faster, and your skin senses that rapid loss as cold.",
    ),
    Entry(
        "why-12",
        "Why is salt spread on icy roads?",
        [
            "Salt dissolves in the thin film of water on the ice and lowers its freezing point, so the ice melts below 0 °C.",
            "It lowers the freezing point of water.",
        ],
        "salt is warm and melts ice",
        "It lowers the freezing point of water",
        "Salt lowers the freezing point of water, so ice can melt even when the temperature is a few degrees below 0°C. It also makes it harder for new ice to form.",
    ),
    Entry(
        "why-13",
        "Why can sound not travel through a vacuum?",
        [
            "Sound is a vibration passed on from particle to particle, and a vacuum has no particles to carry it.",
            "There is no medium to carry the vibrations.",
        ],
        "no air",
        "Sound needs a medium, and a vacuum has no particles to carry the vibrations.",
        "I'm not sure.",
    ),
    Entry(
        "why-14",
        "Why does bread dough rise?",
        [
            "Yeast ferments sugars in the dough and gives off carbon dioxide, whose bubbles are trapped by the gluten and make the dough swell.",
        ],
        "Yeast.",
        "Yeast ferments the sugars and releases carbon dioxide, which the gluten traps as bubbles.",
        "It's all down to yeast! 🍞 Yeast eats the sugars in the flour and releases carbon dioxide &amp; a little alcohol. The gluten network traps the gas, and the dough swells up.",
    ),
    Entry(
        "why-15",
        "Why do cats' eyes shine in the dark?",
        [
            "A reflective layer behind the retina, the tapetum lucidum, sends light back through the eye and helps the cat see in dim light.",
            "the tapetum lucidum",
        ],
        "Cats eyes make light.",
        "The tapetum lucidum, a reflective layer behind the retina, bounces light back out of the eye.",
        "Cats have a mirror-like layer called the *tapetum lucidum* behind the retina. It reflects light back through the eye, which improves night vision and causes the glow.",
    ),
    Entry(
        "why-16",
        "Why do stars twinkle?",
        [
            "Starlight is bent in changing directions by moving layers of air of different temperature, so its brightness seems to flicker.",
            "turbulence in the Earth's atmosphere",
        ],
        None,
        "Turbulence in the Earth's atmosphere bends their light in constantly changing directions.",
        "Stars twinkle because their light passes through turbulent air on its way to us. Pockets of warm and cold air bend it this way and that, so the star appears to flicker ✨",
    ),
    Entry(
        "why-17",
        "Why is Pluto no longer classed as a planet?",
        [
            "Under the definition adopted in 2006, a planet must have cleared the neighbourhood of its orbit, and Pluto has not.",
            "It has not cleared the neighbourhood around its orbit.",
        ],
        "Pluto is too small.",
        "It has not cleared the neighborhood around its orbit.",
        "In 2006 the International Astronomical Union set out three conditions for a planet. Pluto meets two of them:\n1. it orbits the Sun;\n2. it is round.\nIt fails the third, because it has not cleared its orbit of other bodies.",
    ),
    Entry(
        "why-18",
        "Why does a helium balloon float in air?",
        [
            "Helium is less dense than air, so the balloon weighs less than the air it displaces and is pushed upwards.",
            "Helium is less dense than air.",
        ],
        "helium is less dense",
        "Helium is less dense than air.",
        "A helium balloon floats for the same reason a cork floats in water: together, the helium and the rubber weigh less than the air they displace, so the balloon is pushed up 🎈",
    ),
    Entry(
        "why-19",
        "Why do the oceans have tides?",
        [
            "The gravity of the Moon, and to a lesser extent the Sun, pulls unevenly on the Earth and raises bulges of water as the Earth turns.",
            "the gravitational pull of the Moon and the Sun",
        ],
        "The wind pushes the water.",
        "Because of the gravitational pull of the Moon and, to a lesser extent, the Sun.",
        "Tides are caused mainly by the Moon's gravity. It pulls a little harder on the near side of the Earth than on the far side, which raises two bulges of water; the Sun adds a smaller effect.",
    ),
    Entry(
        "why-20",
        "Why do honey bees make honey?",
        [
            "They store it as food for the colony, above all for winter and other times when there are few flowers.",
            "as a food store for the winter",
        ],
        "For people to eat",
        "To store food for the winter.",
        "Honey is the colony's pantry 🐝. Bees turn nectar into honey because it keeps well, and they live on it in winter when there are no flowers about.",
    ),
    Entry(
        "how-01",
        "How does a vaccine protect you from a disease?",
        [
            "It shows the immune system a harmless form or part of a germ, so that the body can recognise and fight the real one quickly later on.",
        ],
        "It kills the virus in your body.",
        "It trains the immune system with a harmless form or part of a germ, so the body recognises the real one.",
        "A vaccine is a kind of rehearsal. It presents a harmless piece of a germ to your immune system, which makes antibodies and memory cells; if the real germ turns up later, the response is fast and strong.",
    ),
    Entry(
        "how-02",
        "How do plants make their own food?",
        [
            "They use the energy of sunlight to turn carbon dioxide and water into sugar, and give off oxygen.",
            "photosynthesis",
            "by photosynthesis",
        ],
        "From the soil",
        "Photosynthesis",
        "Plants make their food through **photosynthesis**: chlorophyll captures sunlight, and that energy turns carbon dioxide and water into glucose. Oxygen is given off on the way.",
    ),
    Entry(
        "how-03",
        "How does a refrigerator keep food cold?",
        [
            "A refrigerant evaporates inside the cabinet and absorbs heat, then is compressed and condenses outside, where it gives that heat off.",
        ],
        "It makes cold air and blows it on food. It makes cold air and blows it on food.",
        "A refrigerant absorbs heat as it evaporates inside, then releases it outside when it is compressed and condenses.",
        "A fridge doesn't make cold so much as move heat. A refrigerant evaporates in pipes inside the cabinet, soaking up heat; a compressor then pumps it to the coils at the back, where it condenses and gives the heat to the room.",
    ),
    Entry(
        "how-04",
        "How does a rainbow form?",
        [
            "Sunlight is refracted, split into colours and reflected inside raindrops, so each colour leaves at a slightly different angle.",
        ],
        "Rain and sun together",
        "Raindrops refract, disperse and reflect sunlight, sending each colour out at a slightly different angle.",
        "When the Sun is behind you and rain is in front of you, light enters each drop, bends, splits into colours, bounces off the back and bends again on its way out. Each colour leaves at its own angle 🌈",
    ),
    Entry(
        "how-05",
        "How does blood move through the human heart?",
        [
            "The right side of the heart pumps blood to the lungs to take up oxygen, and the left side pumps it to the rest of the body.",
        ],
        "The heart pumps blood to the lungs.",
        "The right side pumps blood to the lungs for oxygen; the left side then pumps it around the body.",
        "1. Blood low in oxygen enters the right atrium.\n2. The right ventricle pumps it to the lungs.\n3. Blood rich in oxygen returns to the left atrium.\n4. The left ventricle pumps it to the rest of the body.",
    ),
    Entry(
        "how-06",
        "How do wings keep an aeroplane in the air?",
        [
            "The wings push the passing air downwards, and the air pushes the wings upwards in return with a force called lift.",
            "They generate lift.",
        ],
        "the wings flap",
        "They generate lift by deflecting air downwards.",
        "As the plane moves forward, its wings turn the airflow downwards. By Newton's third law the air pushes back up on the wings, with lower pressure above than below, and that upward force is called lift ✈️",
    ),
    Entry(
        "how-07",
        "How does a microwave oven heat food?",
        [
            "Microwaves make the water molecules in the food rotate rapidly back and forth, and this motion is turned into heat.",
        ],
        "",
        "Microwaves make water molecules in the food oscillate, which produces heat.",
        "A magnetron produces microwaves, which are absorbed mostly by the water in your food. The water molecules keep flipping to follow the field, jostle their neighbours, and so warm the food.",
    ),
    Entry(
        "how-08",
        "How does a GPS receiver work out where it is?",
        [
            "It measures how long signals take to arrive from at least four satellites, and calculates its position from the distances.",
            "by timing signals from several satellites",
        ],
        "it asks a satellite where it is",
        "By timing signals from four or more satellites and computing its distance from each.",
        "Each GPS satellite broadcasts its position and the time. Your receiver notes when each signal arrives, turns the delay into a distance, and, with four or more satellites, solves for its position (and its own clock error).",
    ),
    Entry(
        "how-09",
        "How does lightning cause thunder?",
        [
            "Lightning heats the air around it so quickly that the air expands explosively and sends out a shock wave that we hear as thunder.",
        ],
        "Clouds bump into each other and make noise.",
        None,
        "A lightning bolt heats the air to around 30,000 °C in a fraction of a second. The air expands explosively, and that shock wave reaches our ears as thunder ⚡",
    ),
    Entry(
        "how-10",
        "How do noise-cancelling headphones work?",
        [
            "Microphones pick up the surrounding noise, and the headphones play an inverted copy of the sound wave that cancels it out.",
            "by destructive interference",
        ],
        "They block your ears with foam",
        "Microphones sample the outside noise and the headphones play an inverted wave that cancels it out.",
        "They rely on *destructive interference*. Tiny microphones listen to the noise around you, and the electronics play the same wave turned upside down, so that the two cancel out.",
    ),
    Entry(
        "how-11",
        "How does soap remove grease?",
        [
            "One end of a soap molecule sticks to grease and the other to water, so the grease breaks into droplets that can be rinsed away.",
        ],
        "soap is slippery so the grease slides off",
        "Soap molecules have one end that binds grease and another that binds water, so grease lifts off and rinses away.",
        "Soap molecules have two ends:\n\n* a *hydrophobic* tail that clings to grease\n* a *hydrophilic* head that clings to water\n\nThey surround the grease in tiny droplets called micelles, and the water carries these away.",
    ),
    Entry(
        "how-12",
        "How does a magnetic compass show direction?",
        [
            "Its magnetised needle turns freely and lines up with the Earth's magnetic field, so one end points towards magnetic north.",
        ],
        "The needle points north.",
        "Its magnetised needle aligns with the Earth's magnetic field, so one end points to magnetic north.",
        "The needle of a compass is a small magnet that can turn freely. It lines itself up with the Earth's magnetic field, so its marked end points towards magnetic north 🧭",
    ),
    Entry(
        "how-13",
        "How does binary search find an item in a sorted list?",
        [
            "It compares the item with the middle of the list and discards the half that cannot contain it, then repeats until it is found.",
        ],
        "it checks every item one by one",
        "Compare with the middle element, discard the half that cannot contain the item, and repeat.",
        "Binary search looks at the middle element first:\n\n```\nif target < middle: search the left half\nif target > middle: search the right half\n```\n\nEvery step halves what is left, so it needs about log2(n) steps.",
    ),
    Entry(
        "how-14",
        "How does a caterpillar become a butterfly?",
        [
            "It forms a chrysalis in which most of its tissues break down and are rebuilt, and an adult butterfly emerges.",
            "by metamorphosis",
            "complete metamorphosis",
        ],
        "It grows wings",
        "By metamorphosis",
        "Inside the chrysalis most of the caterpillar's tissues break down, and small clusters of cells build the adult body: wings, legs, antennae and all. The process is called complete metamorphosis 🦋",
    ),
    Entry(
        "how-15",
        "How does a solar cell produce electricity?",
        [
            "Light frees electrons in a semiconductor, and the built-in electric field of its junction drives them round a circuit as a current.",
            "the photovoltaic effect",
        ],
        "The sun heats it up and the heat becomes electricity.",
        "Photons free electrons in a semiconductor and its electric field drives them as a current (the photovoltaic effect).",
        "Solar cells use the photovoltaic effect. Light knocks electrons loose in a semiconductor such as silicon; the electric field at the junction sweeps them one way; and the result is a direct current.",
    ),
    Entry(
        "how-16",
        "How do bats find insects in the dark?",
        [
            "They send out high-pitched calls and listen for the echoes, which tell them where their prey is.",
            "echolocation",
            "by echolocation",
        ],
        "very good eyes",
        "echolocation",
        "Bats use echolocation. They send out very high calls, too high for most of us to hear, and work out from the echoes where an insect is and how it moves 🦇",
    ),
    Entry(
        "how-17",
        "How do the kidneys clean the blood?",
        [
            "They filter waste and extra water out of the blood, take back what the body needs, and pass the rest on as urine.",
        ],
        "They filter the blood.",
        "They filter out waste and excess water, reabsorb what the body needs, and excrete the rest as urine.",
        "",
    ),
    Entry(
        "how-18",
        "How does public-key encryption keep a message secret?",
        [
            "The sender encrypts the message with the recipient's public key, and only the matching private key, which the recipient keeps, can decrypt it.",
        ],
        "Both people share the same password.",
        "Anyone can encrypt with the public key, but only the holder of the private key can decrypt.",
        "Everyone has a pair of keys 🔑. You encrypt a message with the recipient's *public* key, and it can then be decrypted only with the matching *private* key, which never leaves the recipient's hands.",
    ),
    Entry(
        "describe-01",
        "Describe the water cycle.",
        [
            "Water evaporates from the surface, condenses into clouds, falls as rain or snow, and flows back to the sea, where the cycle begins again.",
            "evaporation, condensation and precipitation",
        ],
        "Rain falls from clouds.",
        "Evaporation, condensation, precipitation, and runoff back to the sea.",
        "**The water cycle**\n\n1. *Evaporation*: the Sun turns water into vapour.\n2. *Condensation*: the vapour cools into clouds.\n3. *Precipitation*: water falls as rain or snow.\n4. *Run-off*: it flows back to the sea.",
    ),
    Entry(
        "describe-02",
        "What is the difference between weather and climate?",
        [
            "Weather is the state of the atmosphere at a given time and place, while climate is the average of the weather over many years.",
        ],
        "They are the same thing.",
        "Weather is the short-term state of the atmosphere; climate is its average over many years.",
        "Weather is what the atmosphere is doing here and now. Climate is the pattern of weather in a place over a long time, usually thirty years or more. Climate is what you expect; weather is what you get!",
    ),
    Entry(
        "describe-03",
        "What is inflation in economics?",
        [
            "Inflation is a general rise in prices over time, which means that the same amount of money buys less than before.",
            "a general rise in prices",
        ],
        "prices go up",
        "A general rise in prices",
        "Inflation is a sustained rise in the general level of prices. If inflation is 5%, a basket of goods that cost £100 last year costs £105 today, so each pound buys a little less.",
    ),
    Entry(
        "describe-04",
        "What is a black hole?",
        [
            "A black hole is a region of space where gravity is so strong that nothing, not even light, can escape from it.",
        ],
        "a hole in space",
        "A region of space whose gravity is so strong that nothing, not even light, can escape.",
        "A black hole is a region of space-time where gravity is so strong that nothing can get out, not even light. Its boundary is called the event horizon 🕳️",
    ),
    Entry(
        "describe-05",
        "What makes an animal a mammal?",
        [
            "Mammals are warm-blooded vertebrates that feed their young on milk from mammary glands and have hair or fur.",
        ],
        "It gives birth to live babies.",
        "Mammals are warm-blooded vertebrates with hair or fur that feed their young on milk.",
        "Mammals share a few features: they are warm-blooded vertebrates, they have hair or fur at some stage, and the mothers feed their young on milk. Most give birth to live young, but the platypus lays eggs.",
    ),
    Entry(
        "describe-06",
        "What is the difference between a virus and a bacterium?",
        [
            "A bacterium is a single-celled living organism that can reproduce on its own, while a virus must infect a host cell to multiply.",
        ],
        "viruses are worse than bacteria",
        "Bacteria are single-celled organisms that reproduce by themselves; viruses need a host cell to multiply.",
        "Bacteria are living cells that can grow and divide by themselves. Viruses are far smaller and can multiply only inside the cells of a host. That is also why antibiotics work on bacteria but not on viruses.",
    ),
    Entry(
        "describe-07",
        "What happens at the end of Romeo and Juliet?",
        [
            "Romeo believes that Juliet is dead and poisons himself; Juliet wakes, finds him and stabs herself, and their families make peace.",
            "Both lovers die.",
            "Romeo and Juliet both kill themselves.",
        ],
        "They get married.",
        "Both lovers die, and their families are reconciled.",
        "It ends badly 💔 Romeo finds Juliet drugged, thinks she is dead and drinks poison. She wakes up, sees him lying there and stabs herself with his dagger. Faced with their loss, the Montagues &amp; Capulets end their feud.",
    ),
    Entry(
        "describe-08",
        "What does Pythagoras' theorem say?",
        [
            "In a right-angled triangle, the square of the hypotenuse equals the sum of the squares of the other two sides.",
            "a² + b² = c²",
        ],
        "a + b = c",
        "a^2 + b^2 = c^2",
        "Pythagoras' theorem says that in a right-angled triangle the square on the hypotenuse is equal to the sum of the squares on the other two sides: $a^2 + b^2 = c^2$.",
    ),
    Entry(
        "describe-09",
        "What is a prime number?",
        [
            "A prime number is a whole number greater than 1 whose only divisors are 1 and itself.",
        ],
        "A number that is odd like 3, 5, 7, 9",
        "A whole number greater than 1 that is divisible only by 1 and itself",
        "A prime number is a whole number greater than 1 that can be divided evenly only by 1 and by itself. The first few are 2, 3, 5, 7 and 11.",
    ),
    Entry(
        "describe-10",
        "What is a solar eclipse?",
        [
            "A solar eclipse happens when the Moon passes between the Sun and the Earth and casts its shadow on the Earth.",
            "The Moon passes between the Sun and the Earth.",
        ],
        "the earth goes between the sun and the moon",
        "The Moon passes between the Earth and the Sun and blocks some or all of its light.",
        "I'm not sure.",
    ),
    Entry(
        "describe-11",
        "What does the DNA molecule look like?",
        [
            "DNA is a double helix, with two strands wound around each other and joined by pairs of bases like the rungs of a ladder.",
            "a double helix",
        ],
        None,
        '"A double helix."',
        "DNA looks like a twisted ladder, or double helix: the two sides are chains of sugar and phosphate, and the rungs are pairs of bases (A with T, C with G) 🧬",
    ),
    Entry(
        "describe-12",
        "What is a glacier?",
        [
            "A glacier is a large, lasting mass of ice, formed from compacted snow, that moves slowly under its own weight.",
        ],
        "Big ice",
        "A large, persistent body of ice, formed from compacted snow, that flows slowly under its own weight.",
        "A glacier is a river of ice. Snow that falls year after year is pressed into ice, and once the ice is thick enough it starts to creep downhill under its own weight.",
    ),
    Entry(
        "describe-13",
        "What is the Rosetta Stone, and why does it matter?",
        [
            "It is an ancient Egyptian slab with one decree in hieroglyphic, Demotic and Greek writing, and it was the key to deciphering hieroglyphs.",
        ],
        "A space probe that landed on a comet.",
        "A slab bearing one decree in hieroglyphic, Demotic and Greek; it was the key to deciphering Egyptian hieroglyphs.",
        "The Rosetta Stone is a slab from 196 BC, found in Egypt in 1799. It carries the same decree in three scripts (hieroglyphic, Demotic and Greek), which let Champollion work out how to read hieroglyphs in 1822.",
    ),
    Entry(
        "describe-14",
        "What is a food chain?",
        [
            "A food chain shows how energy passes from one living thing to the next as each is eaten, from plants up to top predators.",
        ],
        "Shops like supermarkets  and restaurants",
        "It shows how energy passes from plants to herbivores to predators as each one is eaten.",
        None,
    ),
    Entry(
        "describe-15",
        "What is recursion in programming?",
        [
            "Recursion is when a function calls itself on smaller parts of a problem until it reaches a simple base case.",
            "a function calling itself",
            "A function that calls itself.",
        ],
        "see recursion",
        "A function that calls itself",
        "Recursion means that a function calls itself. For example:\n\n```python\ndef factorial(n):\n    return 1 if n == 0 else n * factorial(n - 1)\n```\n\nThe base case (`n == 0`) makes sure that it stops.",
    ),
    Entry(
        "describe-16",
        "What does Ohm's law state?",
        [
            "The current through a conductor is proportional to the voltage across it, so the voltage equals the current times the resistance.",
            "V = IR",
            "V = I × R",
        ],
        "V=I/R",
        "V = IR",
        "Ohm's law states that the current through a conductor is proportional to the voltage across it, provided that its temperature stays the same. As a formula: V = I × R.",
    ),
    Entry(
        "describe-17",
        "What is the greenhouse effect?",
        [
            "Gases such as carbon dioxide and water vapour absorb heat given off by the Earth's surface and send part of it back, which warms the planet.",
        ],
        "The hole in the ozone layer lets in heat",
        "Gases like carbon dioxide absorb heat given off by the surface and send part of it back, which warms the Earth.",
        "Sunlight warms the ground, and the ground gives off infrared radiation. Greenhouse gases (water vapour, CO₂, methane...) absorb much of it and send some back down. Without this effect the Earth would be about 33 °C colder.",
    ),
    Entry(
        "german-02",
        "Warum schwimmt Eis auf Wasser?",
        [
            "Wasser dehnt sich beim Gefrieren aus, deshalb hat Eis eine geringere Dichte als flüssiges Wasser.",
            "Eis hat eine geringere Dichte als Wasser.",
        ],
        "Eis ist kalt.",
        "Weil Eis eine geringere Dichte hat als flüssiges Wasser.",
        "Beim Gefrieren dehnt sich Wasser um etwa neun Prozent aus. Eis hat daher eine geringere Dichte als flüssiges Wasser und schwimmt an der Oberfläche – größere Eisberge ragen nur zu rund einem Zehntel heraus.",
    ),
    Entry(
        "french-02",
        "Pourquoi la pâte à pain lève-t-elle ?",
        [
            "La levure fait fermenter les sucres de la farine et dégage du gaz carbonique, qui fait gonfler la pâte.",
            "à cause de la levure",
        ],
        "Parce que le four est chaud",
        "Parce que la levure dégage du gaz carbonique en fermentant les sucres.",
        "C'est grâce à la levure : elle se nourrit des sucres de la farine et dégage du gaz carbonique. Les bulles restent prisonnières du gluten, et la pâte gonfle. Bon appétit ! 🥖",
    ),
    Entry(
        "japanese-02",
        "なぜ空は青いのですか。",
        [
            "太陽の光のうち、波長の短い青い光が空気の分子によって強く散乱されるからです。",
            "レイリー散乱",
        ],
        "海が青いから",
        "青い光は波長が短く、空気中で散乱されやすいからです。",
        "空が青く見えるのは「レイリー散乱」のためです。波長の短い青い光は、波長の長い赤い光よりも空気の分子に強く散乱され、空のあらゆる方向から目に届きます。",
    ),
    Entry(
        "unanswerable-03",
        "Why did Napoleon conquer Australia?",
        [],
        "To get more land",
        "He did not; Napoleon never went to Australia.",
        "Napoleon never conquered Australia, so there is no reason to give. Did you perhaps mean *Austria*?",
    ),
    Entry(
        "unrecorded-02",
        "Explain the joke in the picture above.",
        None,
        "",
        "No picture was attached.",
        "I can't see a picture in our conversation. Could you describe it to me? 🙂",
    ),
]

DATASETS = {"facts": FACTS, "explain": EXPLAIN}


def build() -> pa.Table:
    """Return the sample as a table: dataset by dataset, question by question, model by model."""
    rows = [
        {
            "question_id": entry.question_id,
            "model": model,
            "dataset": dataset,
            "question": entry.question,
            "response": response,
            "answers": entry.answers,
        }
        for dataset, entries in DATASETS.items()
        for entry in entries
        for model, response in zip(MODELS, (entry.heron, entry.lynx, entry.otter), strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(build(), TARGET, compression="zstd")
