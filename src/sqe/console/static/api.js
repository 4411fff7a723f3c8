// Calls to the console's own server. An error is an Error with code, message, hint and place.

let loginEnded = () => {};

export function onLoginEnded(callback) {
  loginEnded = callback;
}

export async function call(method, path, body) {
  const headers = { "x-sqe-console": "1" };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw problem({ code: "SERVER_UNAVAILABLE", message: "The console does not answer.", hint: "Is it still running?" });
  }
  if (response.ok) return response.headers.get("content-type")?.startsWith("application/json") ? response.json() : response.text();
  const said = await response.json().catch(() => ({}));
  if (response.status === 401) loginEnded();
  throw problem(said.error ?? { code: "ERROR", message: `The console answered ${response.status}.` });
}

export function problem(said) {
  return Object.assign(new Error(said.message), said);
}

// Rows of a small statement, each an object by column name.
export async function lookUp(sql, parameters = []) {
  const { columns, rows } = await call("POST", "/api/lookup", { sql, parameters });
  const names = columns.map(([name]) => name);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [names[at], Array.isArray(cell) ? cell[0] : cell])));
}

export function name(...parts) {
  return parts.map((part) => "`" + String(part).replaceAll("`", "``") + "`").join(".");
}

// A namespace of several levels comes as one text.
export function tableName(catalog, schema, table) {
  return name(catalog, ...schema.split("."), table);
}

// Starts a statement and tells `onstate` of it until it has ended.
export function run(sql, onstate) {
  let id = "";
  let cancelled = false;
  const ended = (async () => {
    id = (await call("POST", "/api/runs", { sql })).id;
    if (cancelled) call("POST", `/api/runs/${id}/cancel`).catch(() => {});
    let rows = 0;
    for (;;) {
      const state = await call("GET", `/api/runs/${id}?rows=${rows}&wait_ms=1000`);
      rows = state.rows;
      onstate({ ...state, id });
      if (state.ended) return { ...state, id };
    }
  })();
  return {
    ended,
    cancel() {
      cancelled = true;
      if (id) call("POST", `/api/runs/${id}/cancel`).catch(() => {});
    },
    forget() {
      if (id) call("DELETE", `/api/runs/${id}`).catch(() => {});
    },
  };
}
