"use strict";
(async () => {
  const PAGE = 50, CLIP = 300, LONG = 20000;
  const byId = (id) => document.getElementById(id);
  const [form, list, count, before, after, place] =
    ["filters", "list", "count", "before", "after", "place"].map(byId);
  const fields = ["group", "against", "dataset", "metric", "from", "to", "check", "sort", "text"];

  // --- the rows

  async function unpack() {
    const bytes = Uint8Array.from(atob(byId("packed").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  let data;
  try {
    data = await unpack();
  } catch (error) {
    count.textContent = `The rows cannot be read: ${error}. A newer browser, or an undamaged file, may do.`;
    return;
  }
  const rows = data.row.map((_, index) => index);
  const textOf = (coded, index) => (coded ? coded.texts[coded.codes[index]] : "");
  const groupOf = (index) => data.groups[data.group[index]];
  const responseOf = (index) => (data.response ? data.response[index] : "");
  const goldsOf = (index) => (data.golds ? data.golds[index] : []);
  const scoreOf = (index, metric) => data.scores[metric][index];
  const rowsOfQuestion = new Map();
  if (data.question && data.question.texts.length < rows.length) {
    for (const index of rows) {
      const code = data.question.codes[index];
      if (!rowsOfQuestion.has(code)) rowsOfQuestion.set(code, []);
      rowsOfQuestion.get(code).push(index);
    }
  }
  const sameQuestion = (index) =>
    (data.question && rowsOfQuestion.get(data.question.codes[index]) || [index]).filter((each) => each !== index);
  const answerOf = (index, group) => sameQuestion(index).find((each) => groupOf(each) === group);
  const searched = new Map();
  function words(index) {
    if (!searched.has(index)) {
      const all = [textOf(data.text, index), textOf(data.question, index), responseOf(index), ...(goldsOf(index) || [])];
      searched.set(index, all.filter(Boolean).join("\n").toLowerCase());
    }
    return searched.get(index);
  }

  // --- the address: all filters, the page and the open row stand in it

  function readAddress() {
    const hash = location.hash;
    const settings = Object.fromEntries(new URLSearchParams(hash.startsWith("#rows?") ? hash.slice(6) : ""));
    const row = hash.match(/^#row=(\d+)$/);
    return row ? { row: row[1] } : settings;
  }
  function writeAddress(settings) {
    const kept = Object.entries(settings).filter(([, value]) => value !== "" && value !== undefined);
    const address = new URLSearchParams(kept.map(([name, value]) => [name, String(value)]));
    history.replaceState(null, "", kept.length ? `#rows?${address}` : "#rows");
  }

  // --- the controls

  function fill(name, values, all) {
    const select = form.elements[name];
    const options = all === null ? values : [null, ...values];
    select.replaceChildren(...options.map((value) => {
      const option = document.createElement("option");
      option.value = value === null ? "" : value;
      option.textContent = value === null ? all : visible(value);
      return option;
    }));
    select.parentElement.hidden = !values.length;
  }
  fill("group", data.groups, "all");
  fill("against", rowsOfQuestion.size ? data.groups : [], "none");
  fill("dataset", data.dataset ? data.dataset.texts : [], "all");
  fill("metric", data.metrics, null);
  fill("check", data.checks, "any or none");
  const controls = () => Object.fromEntries(fields.map((name) => [name, form.elements[name].value]));
  function setControls(settings) {
    for (const name of fields) form.elements[name].value = settings[name] || "";
    if (!form.elements.metric.value) form.elements.metric.value = data.rank_by;
    for (const name of ["sort", "group", "against", "dataset", "check"]) {
      if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
    }
  }

  // --- which rows are shown

  let shown = rows, page = 0;
  function choose() {
    const is = controls();
    const [from, to] = [is.from, is.to].map((value) => (value === "" ? null : Number(value)));
    const check = data.checks.indexOf(is.check), text = is.text.trim().toLowerCase();
    const difference = new Map();
    shown = rows.filter((index) => {
      const score = scoreOf(index, is.metric);
      if (is.group && groupOf(index) !== is.group) return false;
      if (is.dataset && textOf(data.dataset, index) !== is.dataset) return false;
      if ((from !== null || to !== null) && score === null) return false;
      if ((from !== null && score < from) || (to !== null && score > to)) return false;
      if (is.check && !data.failed[index].includes(check)) return false;
      if (text && !words(index).includes(text)) return false;
      if (is.against) {
        const other = groupOf(index) === is.against ? undefined : answerOf(index, is.against);
        if (other === undefined) return false;
        const less = scoreOf(other, is.metric);
        difference.set(index, score === null || less === null ? null : score - less);
      }
      return true;
    });
    const order = { lowest: 1, highest: -1, difference: 1, shortest: 1 }[is.sort];
    if (order) {
      const lengthOf = (index) => (responseOf(index) === null ? null : responseOf(index).length);
      const scoreOrDifference = is.sort === "difference" && is.against ? (index) => difference.get(index) : (index) => scoreOf(index, is.metric);
      const value = is.sort === "shortest" ? lengthOf : scoreOrDifference;
      const last = (index) => value(index) === null || value(index) === undefined;
      shown.sort((a, b) => last(a) - last(b) || (last(a) ? 0 : order * (value(a) - value(b))) || a - b);
    }
    return difference;
  }

  // --- how a row looks

  function visible(text) {
    return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
      .replace(/[\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  }
  function make(name, looks, text) {
    const element = document.createElement(name);
    if (looks) element.className = looks;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function texts(name, looks, value, most) {
    const element = make(name, looks);
    element.dir = "auto";
    if (value === null || value === undefined) {
      element.classList.add("none");
      element.textContent = "(null)";
    } else if (value.length > most) {
      element.textContent = `${visible(value.slice(0, most))} … (${(value.length - most).toLocaleString("en")} more characters)`;
    } else {
      element.textContent = value === "" ? "(empty)" : visible(value);
      if (value === "") element.classList.add("none");
    }
    return element;
  }
  const minus = (text) => text.replace("-", "\u2212");
  const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

  function headings(metric, against) {
    const heads = [against ? `${metric} (less ${visible(against)})` : metric, form.elements.group.parentElement.firstChild.textContent.trim(),
      "question", data.response ? "response" : "", data.golds ? "golds" : ""];
    byId("heads").replaceChildren(...heads.map((text) => make("span", "", text)));
  }
  function lineOf(index, metric, difference) {
    const item = make("li");
    const button = make("button", "row");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    const signed = difference === undefined || difference === null ? "" : ` (${difference >= 0 ? "+" : ""}${minus(difference.toFixed(2))})`;
    button.append(
      make("span", "score", number(scoreOf(index, metric)) + signed),
      texts("span", "group", groupOf(index), CLIP),
      texts("span", "question", data.text ? textOf(data.text, index) : textOf(data.question, index), CLIP),
      data.response ? texts("span", "response", responseOf(index), CLIP) : make("span"),
      data.golds ? texts("span", "golds", goldsOf(index) && goldsOf(index).join(" | "), CLIP) : make("span"),
    );
    button.addEventListener("click", () => toggle(item, button, index));
    item.append(button);
    return item;
  }
  function toggle(item, button, index) {
    const opened = item.querySelector(":scope > .open");
    if (opened) opened.remove();
    else item.append(detailOf(index));
    button.setAttribute("aria-expanded", String(!opened));
  }
  function detailOf(index) {
    const detail = make("div", "open");
    const link = make("a", "", `row ${data.row[index]}`);
    link.href = `#row=${data.row[index]}`;
    const head = make("p");
    head.append(link, " ", make("bdi", "", visible(textOf(data.dataset, index))), " ", make("b", "", visible(textOf(data.text || data.question, index))));
    const sides = make("div", "sides");
    sides.append(sideOf(index));
    const others = sameQuestion(index);
    if (others.length) {
      const select = make("select");
      select.append(new Option("beside nothing", ""), ...others.map((other) => new Option(visible(groupOf(other)), String(other))));
      const chosen = others.find((other) => groupOf(other) === form.elements.against.value);
      const show = () => {
        sides.replaceChildren(sideOf(index), ...(select.value ? [sideOf(Number(select.value))] : []));
      };
      select.addEventListener("change", show);
      const label = make("label", "", "beside the answer of ");
      label.append(select);
      head.append(label);
      if (chosen !== undefined) {
        select.value = String(chosen);
        show();
      }
    }
    detail.append(head, sides);
    return detail;
  }
  function sideOf(index) {
    const side = make("section", "side");
    side.append(texts("h3", "", groupOf(index), CLIP));
    const explained = data.explained[data.row[index]];
    const facts = make("dl");
    const add = (name, element) => facts.append(make("dt", "", name), element);
    if (data.response && (!explained || (responseOf(index) || "").length > CLIP)) add("response", whole(responseOf(index)));
    if (!explained) {
      const golds = goldsOf(index);
      (golds || [null]).forEach((gold, at) => add(golds ? `golds[${at}]` : "golds", whole(gold)));
      add("scores", make("dd", "", data.metrics.map((name) => `\u2068${name}\u2069 ${number(scoreOf(index, name))}`).join("   ")));
    }
    if (data.failed[index].length) add("checks", make("dd", "", data.failed[index].map((code) => data.checks[code]).join(", ")));
    side.append(facts);
    if (explained) {
      const template = document.createElement("template");
      template.innerHTML = explained; // escaped where it was made, and the content policy stops scripts
      for (const wide of template.content.querySelectorAll(".qa-explain")) wide.tabIndex = 0;
      side.append(template.content);
    } else if (data.response && data.golds) {
      side.append(make("p", "none", `Why: qa_frame.explain(data, ${data.row[index]}, pred=..., gold=...)`));
    }
    return side;
  }
  function whole(value) {
    const element = texts("dd", "", value, LONG);
    if (value && value.length > LONG) {
      const button = make("button", "", "Show all of it");
      button.type = "button";
      button.addEventListener("click", () => { element.textContent = visible(value); });
      element.append(" ", button);
    }
    return element;
  }

  // --- all together

  function show({ keepPage = false } = {}) {
    const difference = choose();
    const { metric } = controls();
    const last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
    page = keepPage ? Math.min(page, last) : 0;
    headings(metric, controls().against);
    list.replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map((index) => lineOf(index, metric, difference.get(index))));
    count.textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows. Score: ${metric}.`;
    place.textContent = `page ${page + 1} of ${last + 1}`;
    before.disabled = page === 0;
    after.disabled = page >= last;
  }
  function follow({ scroll = true } = {}) {
    const settings = readAddress();
    if (settings.row !== undefined) {
      const index = data.row.indexOf(Number(settings.row));
      setControls({});
      if (index < 0) {
        count.textContent = `Row ${settings.row} is not among the rows of this page.`;
        return;
      }
      choose();
      page = Math.floor(shown.indexOf(index) / PAGE);
      show({ keepPage: true });
      const item = list.children[shown.indexOf(index) % PAGE];
      item.querySelector("button").click();
      item.querySelector("button").focus({ preventScroll: true });
      item.scrollIntoView();
      return;
    }
    setControls(settings);
    page = Math.max(0, Number(settings.page || 1) - 1) || 0;
    show({ keepPage: true });
    if (scroll && location.hash.startsWith("#rows?")) {
      byId("h-rows").focus({ preventScroll: true });
      byId("rows").scrollIntoView();
    }
  }
  const changed = () => { show(); writeAddress(settingsNow()); };
  function settingsNow() {
    const is = controls();
    if (is.metric === data.rank_by) is.metric = "";
    return { ...is, page: page ? page + 1 : "" };
  }
  function turn(by) {
    page += by;
    show({ keepPage: true });
    writeAddress(settingsNow());
    byId("h-rows").focus();
  }
  let waiting;
  form.addEventListener("change", changed);
  form.elements.text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 150); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { setControls({}); changed(); }));
  before.addEventListener("click", () => turn(-1));
  after.addEventListener("click", () => turn(1));
  window.addEventListener("hashchange", () => follow());
  follow({ scroll: location.hash.startsWith("#rows?") });
})();
