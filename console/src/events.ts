// What has happened: deadlocks, errors, growths, long checkpoints, who is blocked; and the sessions that record events.

import { ask, part } from "./ask";
import { deadlocks, draw, told } from "./deadlock";
import { h, set } from "./dom";
import { showQuery } from "./query";
import { get, post, Refused, type Live } from "./server";
import { bytes, count, micros } from "./units";

const HEALTH = "system_health";
/** Events of a ring that are listed. */
const LISTED = 200;

export function events(live: Live): { element: HTMLElement; stop: () => void } {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const source = (query: string, text: string) => h("button", { class: "source", type: "button", click: () => void showQuery(query) }, text);
  const table = (title: string, id: string, columns: string[], query: string, from: string) => {
    const body = h("tbody");
    const note = h("p", { class: "state", role: "status" }, "Loading …");
    const head = h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td")))));
    const element = h("section", { class: "panel", id }, h("h2", {}, title), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", {}, head, body)), note, source(query, from));
    return { element, body, note };
  };
  const number = (text: string) => h("td", { class: "number" }, text);

  const blocked = table("Blocked now", "blocked", ["Session", "Waits for", "For", "Resource", "Statement"], "sessions", "sys.dm_exec_requests");
  const errors = table("Errors of severity 17 and more", "errors", ["Time", "From", "Error", "Text"], "errors", "sp_readerrorlog");
  const growths = table("Growths", "growths", ["Time", "Database", "File", "From", "To", "Why", "Duration"], "allGrowths", "taffrail.growth_history");
  const slow = table("Checkpoints of a second and more", "slow", ["Time", "Database", "Asked for by", "Pages", "Written", "Duration"], "longCheckpoints", "taffrail.checkpoint_history");
  const sessions = table("Event sessions", "event-sessions", ["Name", "State", "Since", "At the start", "Events", "Dropped", ""], "eventSessions", "sys.server_event_sessions, sys.dm_xe_sessions");

  const choice = h("select", { id: "deadlock", change: () => showDeadlock(Number(choice.value)) });
  const graph = h("div");
  const noDeadlock = h("p", { class: "state", role: "status" }, "Loading …");
  const picked = h("div", { class: "row" }, h("label", { for: "deadlock" }, "Deadlock of"), choice);
  picked.hidden = true;
  const deadlockPanel = h("section", { class: "panel", id: "deadlocks" }, h("h2", {}, "Deadlocks"), picked, graph, noDeadlock, source("ring", "sys.dm_xe_session_targets"));
  const ringPanel = h("section", { class: "panel", id: "ring", hidden: true });

  let known: ReturnType<typeof deadlocks> = [];
  const showDeadlock = (i: number) => set(graph, draw(known[i]), told(known[i]));
  let health = "";
  const newHealth = async (counted: string) => {
    if (counted === health) return;
    health = counted;
    try {
      const { xml } = await get(`/api/ring/${HEALTH}`);
      const all = xml === null ? [] : deadlocks(parse(xml));
      const same = JSON.stringify(all) === JSON.stringify(known);
      noDeadlock.textContent = all.length ? "" : xml === null ? `The event session ${HEALTH} does not run: deadlocks are not recorded.` : "None is recorded: nobody has waited in a circle.";
      picked.hidden = all.length === 0;
      if (same && graph.childElementCount) return;
      known = all;
      set(choice, ...all.map((d, i) => h("option", { value: i }, `${local(d.at)}: sessions ${d.parties.map((p) => p.spid).join(", ")}`)));
      if (all.length) showDeadlock(0);
      else set(graph);
    } catch (e) {
      health = "";
      noDeadlock.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
    }
  };

  const order = async (name: string, start: boolean) => {
    trouble.textContent = "";
    try {
      await post("/api/events", { name, start });
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : String(e);
    }
  };

  const showRing = async (name: string) => {
    const body = h("tbody");
    const note = h("p", { class: "state", role: "status" }, "Loading …");
    const close = h("button", { type: "button", click: () => (ringPanel.hidden = true) }, "Close");
    const again = h("button", { type: "button", click: () => void showRing(name) }, "Again");
    set(
      ringPanel,
      h("div", { class: "row" }, h("h2", {}, `Events of ${name}, the newest first`), h("span", { class: "space" }), again, close),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Events of ${name}` }, h("table", {}, h("thead", {}, h("tr", {}, ...["Time", "Event", "Fields and actions"].map((c) => h("th", { scope: "col" }, c)))), body)),
      note,
      source("ring", "sys.dm_xe_session_targets"),
    );
    ringPanel.hidden = false;
    try {
      const { xml } = await get(`/api/ring/${encodeURIComponent(name)}`);
      const all = xml === null ? [] : [...parse(xml).querySelectorAll("RingBufferTarget > event")].reverse();
      set(
        body,
        ...all.slice(0, LISTED).map((event) => {
          const fields = [...event.children].map((f) => `${f.getAttribute("name")}: ${(f.querySelector("text")?.textContent || f.querySelector("value")?.textContent || "").trim()}`);
          return h("tr", {}, number(local(event.getAttribute("timestamp") ?? "")), h("td", {}, event.getAttribute("name") ?? ""), h("td", { class: "statement wide" }, h("code", {}, fields.join(" · ").slice(0, 1000))));
        }),
      );
      note.textContent = xml === null ? "It does not run, or has no ring." : all.length === 0 ? "Nothing has happened that it wants." : all.length > LISTED ? `Only the newest ${count(LISTED)} of ${count(all.length)} are shown.` : "";
    } catch (e) {
      note.textContent = e instanceof Refused ? e.message : "The server does not answer.";
    }
  };

  let listed = "";
  const got = (said: any) => {
    const own = part(said, "eventSessions", sessions.note);
    const now = JSON.stringify(own);
    if (now !== listed) {
      listed = now;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.session : undefined;
      set(
        sessions.body,
        ...(own ?? []).map(([name, runs, since, always, counted, dropped, ring]: any[]) =>
          h(
            "tr",
            {},
            h("td", {}, name),
            h("td", {}, runs ? "runs" : "stopped"),
            number(since ?? "–"),
            h("td", {}, always ? "started" : "left stopped"),
            number(count(counted)),
            number(count(dropped)),
            h(
              "td",
              { class: "buttons" },
              h("button", { type: "button", "data-session": `${name} run`, "aria-label": `${runs ? "Stop" : "Start"} ${name}`, click: () => void order(name, !runs) }, runs ? "Stop" : "Start"),
              runs && ring ? h("button", { type: "button", "data-session": `${name} show`, "aria-label": `Events of ${name}`, click: () => void showRing(name) }, "Events") : null,
            ),
          ),
        ),
      );
      if (focused) sessions.body.querySelector<HTMLElement>(`[data-session="${CSS.escape(focused)}"]`)?.focus();
    }
    if (own) sessions.note.textContent = own.length ? "" : "There is none: CREATE EVENT SESSION makes one.";
    const wrong = part(said, "errors", errors.note);
    set(errors.body, ...(wrong ?? []).map(([at, who, error, text]: any[]) => h("tr", { class: "blocks" }, number(at), h("td", {}, who), h("td", { class: "wraps" }, error), h("td", { class: "statement" }, text ?? ""))));
    if (wrong) errors.note.textContent = wrong.length ? "" : "None in this error log.";
    const grown = part(said, "allGrowths", growths.note);
    set(
      growths.body,
      ...(grown ?? []).map(([at, database, file, type, from, to, automatic, zeroed, us]: any[]) =>
        h("tr", {}, number(at), h("td", {}, database ?? "–"), h("td", {}, file, h("small", {}, type === "LOG" ? "log" : "data")), number(bytes(from)), number(bytes(to)), h("td", {}, to === null ? "given up" : automatic ? "by itself" : "told to", zeroed ? h("small", {}, "zeroed while somebody waited") : null), number(micros(us))),
      ),
    );
    if (grown) growths.note.textContent = !grown.length ? "No file has grown since the server's start." : grown.length >= 50 ? "Only the newest 50 are shown." : "";
    const long = part(said, "longCheckpoints", slow.note);
    set(slow.body, ...(long ?? []).map(([at, database, automatic, pages, size, us]: any[]) => h("tr", {}, number(at), h("td", {}, database ?? "–"), h("td", {}, automatic ? "the server" : "a statement, a backup, start or end"), number(count(pages)), number(bytes(size)), number(micros(us)))));
    if (long) slow.note.textContent = long.length ? "" : "None has taken so long.";
    const health = own?.find((s: any[]) => s[0] === HEALTH);
    void newHealth(JSON.stringify([health?.[1], health?.[2], health?.[4]]));
  };

  const waiting = () => {
    const rows = live.sessions.filter((s) => s.blocker !== 0);
    set(
      blocked.body,
      ...rows.map((s) => h("tr", { class: "blocked" }, number(String(s.id)), h("td", {}, `session ${s.blocker}`, h("small", {}, s.wait ?? "")), number(micros((s.waitMs ?? 0) * 1000)), h("td", { class: "wraps" }, s.resource ?? "–"), h("td", { class: "statement" }, h("code", {}, (s.text ?? "").trim().slice(0, 160))))),
    );
    const hidden = live.refused.get("sessions");
    blocked.note.textContent = hidden ? hidden : live.state === "loading" ? "Loading …" : rows.length ? "" : "Nobody waits for another session.";
  };
  waiting();
  const silentLive = live.listen(waiting);
  const silent = ask(live, "events", 2, got, trouble);
  return {
    element: h("div", { class: "page" }, trouble, deadlockPanel, sessions.element, ringPanel, h("div", { class: "charts" }, blocked.element, errors.element, growths.element, slow.element)),
    stop: () => {
      silent();
      silentLive();
    },
  };
}

function parse(xml: string): Document {
  return new DOMParser().parseFromString(xml, "text/xml");
}

/** An event's time, which is UTC, as the clock here shows it. */
function local(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().replace("T", " ").replace("Z", "");
}
