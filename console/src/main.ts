// The shell: login, navigation, what holds for every page.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { backups } from "./backups";
import { checkpoints } from "./checkpoints";
import { counters } from "./counters";
import { databases } from "./databases";
import { h, set } from "./dom";
import { errorLog } from "./errorlog";
import { events } from "./events";
import { indexes } from "./indexes";
import { lab } from "./lab";
import { log } from "./log";
import { overview } from "./overview";
import { opensWith } from "./query";
import { get, Live, post, Refused } from "./server";
import { openInQuery, statements } from "./statements";
import { topQueries } from "./topqueries";
import { seconds } from "./units";
import { waits } from "./waits";
import { writes } from "./writes";

type Page = (live: Live) => { element: HTMLElement; stop: () => void };
/** Only what works is here. */
const PAGES: Record<string, [string, Page]> = {
  overview: ["Overview", overview],
  counters: ["Counters", counters],
  waits: ["Waits", waits],
  log: ["Log", log],
  writes: ["Writes", writes],
  checkpoints: ["Checkpoints", checkpoints],
  events: ["Events", events],
  databases: ["Databases", databases],
  topqueries: ["Top queries", topQueries],
  indexes: ["Indexes", indexes],
  query: ["Query", statements],
  backups: ["Backups", backups],
  errorlog: ["Error log", errorLog],
  lab: ["Lab", lab],
};

const THEMES = ["auto", "light", "dark"];

function theme(next?: string): string {
  const chosen = next ?? localStorage.getItem("theme") ?? "auto";
  localStorage.setItem("theme", chosen);
  const dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  return chosen;
}

/** The password is too old, or has to be changed: the right one was given. */
const MUST_CHANGE = new Set([18487, 18488]);

function login(why = ""): void {
  const said = h("p", { class: "trouble", role: "alert" }, why);
  const name = h("input", { id: "login", name: "login", value: "sa", autocomplete: "username", required: true });
  const password = h("input", { id: "password", name: "password", type: "password", autocomplete: "current-password", required: true });
  const button = h("button", { class: "main" }, "Log in");
  // One that is too old, or has to be changed, is changed with the login.
  const [fresh, again] = ["new-password", "new-password-again"].map((id) => h("input", { id, type: "password", autocomplete: "new-password", required: true }));
  const change = h("div", { class: "login-change" }, h("label", { for: fresh.id }, "New password"), fresh, h("label", { for: again.id }, "New password, once more"), again);
  const submit = async (event: Event) => {
    event.preventDefault();
    said.textContent = "";
    if (change.isConnected && fresh.value !== again.value) {
      said.textContent = "The new passwords are not the same.";
      return fresh.select();
    }
    button.disabled = true;
    try {
      await post("/api/login", { login: name.value, password: password.value, ...(change.isConnected && { new_password: fresh.value }) });
      await start();
    } catch (e) {
      said.textContent = e instanceof Refused ? e.message : "The server does not answer.";
      button.disabled = false;
      if (e instanceof Refused && MUST_CHANGE.has(e.number)) {
        said.before(change);
        fresh.focus();
      } else if (!change.isConnected) password.select();
    }
  };
  const form = h(
    "form",
    { class: "panel login", submit: (e) => void submit(e) },
    h("h1", {}, "Taffrail"),
    h("p", { class: "muted" }, "Log in as you do with sqlcmd."),
    h("label", { for: "login" }, "Login"),
    name,
    h("label", { for: "password" }, "Password"),
    password,
    said,
    button,
  );
  set(document.body, h("main", { class: "alone" }, form));
  password.focus();
}

async function start(): Promise<void> {
  const who = await get("/api/me");
  if (who.login === null) return login();
  document.title = `${who.server} · Taffrail`;
  const live = new Live(() => location.reload());
  const main = h("main", { id: "main", tabindex: -1 });
  const state = h("p", { class: "banner", role: "status" });
  const uptime = h("span", { class: "muted uptime" });
  const links = Object.entries(PAGES).map(([key, [title]]) => h("a", { href: `#${key}` }, title));
  const themeButton = h("button", { type: "button", title: "Light, dark, or as the system has it" });
  const named = (chosen: string) => {
    themeButton.textContent = `${chosen[0].toUpperCase()}${chosen.slice(1)}`;
    themeButton.setAttribute("aria-label", `${themeButton.textContent} theme`);
  };
  named(theme());
  themeButton.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(localStorage.getItem("theme") ?? "auto") + 1) % THEMES.length];
    named(theme(next));
  });
  const leave = async () => {
    await post("/api/logout", {}).catch(() => {});
    location.reload();
  };
  set(
    document.body,
    h("a", { href: "#main", class: "skip", click: (e) => (e.preventDefault(), main.focus()) }, "To the page"),
    h(
      "header",
      {},
      h("strong", { title: `Taffrail ${who.version}` }, who.server, h("small", {}, "Taffrail")),
      h("nav", { "aria-label": "Pages" }, ...links),
      h("span", { class: "space" }),
      h("span", { class: "muted who", title: "The login" }, who.login),
      uptime,
      themeButton,
      h("button", { type: "button", title: `Logged in as ${who.login}`, click: () => void leave() }, "Log out"),
    ),
    state,
    main,
  );
  let shown: { element: HTMLElement; stop: () => void } | null = null;
  const route = () => {
    const key = location.hash.slice(1) in PAGES ? location.hash.slice(1) : "overview";
    shown?.stop();
    shown = PAGES[key][1](live);
    set(main, h("h1", { class: "hidden" }, PAGES[key][0]), shown.element);
    links.forEach((a) => (a.hash === `#${key}` ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current")));
    // On a narrow screen the row of links scrolls.
    links.find((a) => a.hash === `#${key}`)?.scrollIntoView({ block: "nearest", inline: "center" });
  };
  addEventListener("hashchange", route);
  live.listen(() => {
    const trouble = live.state === "stale" || live.state === "refused";
    state.textContent = trouble ? live.trouble : "";
    document.body.classList.toggle("stale", trouble);
    uptime.textContent = live.uptime === null ? "" : `up ${seconds(live.uptime)}`;
  });
  live.start();
  route();
}

opensWith(openInQuery);
theme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());
start().catch((e) => login(e instanceof Refused ? e.message : "The server does not answer."));
