// The server: plain answers, and jobs with progress that can be cancelled.

async function parsed(response) {
  const text = await response.text();
  try { return JSON.parse(text); } catch { return { error: text || response.statusText }; }
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Cancelled extends Error {}

const GONE = "The server does not answer. If it was stopped, start it again with babelscope serve; the address of this page keeps the texts and the choices.";
const BUSY = [429, 503];

/** A request; a connection that fails is told in words, not in those of the browser. */
async function send(path, options = {}) {
  try { return await fetch(path, options); } catch (error) {
    if (error.name === "AbortError") throw error;
    throw passing(GONE);
  }
}

/** An error that may be gone at the next try. */
const passing = (text) => Object.assign(new Error(text), { again: true });

function refusal(response, answer) {
  if (response.status === 503) return passing("The server is busy: too many visitors are connected. Try again in a moment.");
  const text = answer.error || `The server answered ${response.status}.`;
  return response.status === 429 || response.status >= 500 ? passing(text) : new Error(text);
}

export async function get(path, values = {}) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const response = await send(`${path}${query.size ? `?${query}` : ""}`);
  const answer = await parsed(response);
  if (!response.ok) throw refusal(response, answer);
  return answer;
}

const post = (path, body, signal) => send(path, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
});

/** Submits a job, trying again while the server is busy. */
async function submit(kind, body, signal, progress) {
  for (let turn = 0; ; turn += 1) {
    const response = await post(`/api/${kind}`, body, signal);
    if (!BUSY.includes(response.status) || turn >= 30) return response;
    progress({ state: "busy" });
    await pause(1000 * Math.min(4, Number(response.headers.get("retry-after") || 1)) * (0.5 + Math.random()));
    if (signal?.aborted) throw new Cancelled();
  }
}

/** The result of a job. `progress` is called with its state; aborting the signal cancels it. */
export async function run(kind, body, { signal, progress = () => {} } = {}) {
  let id = null;
  const cancel = () => { if (id) fetch(`/api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {}); };
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    let response = await submit(kind, body, signal, progress);
    for (;;) {
      const job = await parsed(response);
      if (response.status === 404 && id) { id = null; response = await submit(kind, body, signal, progress); continue; }
      if (!response.ok) throw refusal(response, job);
      if (job.state === "done") { id = null; return job.result; }
      if (job.state === "cancelled") throw new Cancelled();
      id = job.id;
      if (signal?.aborted) { cancel(); throw new Cancelled(); }
      progress(job);
      response = await send(`/api/jobs/${id}?seen=${job.version}&wait=15`, { signal });
      if (job.state === "running") await pause(60);
    }
  } catch (error) {
    if (error.name === "AbortError") throw new Cancelled();
    throw error;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

/** A file from the server, as text. */
export async function file(path, body) {
  const response = await post(path, body);
  if (response.ok) return response.text();
  throw refusal(response, await parsed(response));
}
