// The ways in that the server offers.

import { call } from "/static/api.js";
import { button, errorBox, h } from "/static/dom.js";

export function loginPage(me, onlogin) {
  const place = h("div", { "aria-live": "polite" });
  const enter = async (credential) => {
    place.replaceChildren();
    try {
      await call("POST", "/api/login", credential);
      onlogin();
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  };
  if (location.hash === "#/login-failed") {
    location.hash = "";
    place.append(errorBox({ code: "AUTHENTICATION_FAILED", message: "The login at the identity provider failed.", hint: "Try again." }));
  }
  const user = h("input", { id: "user", name: "user", autocomplete: "username", required: true });
  const password = h("input", { id: "password", name: "password", type: "password", autocomplete: "current-password", required: true });
  const submit = (event) => {
    event.preventDefault();
    enter({ user: user.value, password: password.value });
  };
  return h("main", { class: "login" },
    h("h1", {}, "SQE"),
    h("p", { class: "quiet" }, "Every query runs as the person who asks."),
    me.issuers.map((issuer) => h("a", { class: "button primary", href: `/login/issuer?issuer=${encodeURIComponent(issuer)}` }, `Log in at ${host(issuer)}`)),
    h("form", { onsubmit: submit },
      h("label", { for: "user" }, "User"), user,
      h("label", { for: "password" }, "Password"), password,
      h("button", { type: "submit", class: me.issuers.length ? "" : "primary" }, "Log in")),
    me.anybody && button("Go on without a login", () => enter({})),
    place);
}

function host(issuer) {
  try {
    return new URL(issuer).host;
  } catch {
    return issuer;
  }
}
