import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';

const BROWSERS = ['chromium-headless-shell', 'chromium'];

const browser = BROWSERS.find((name) => spawnSync(name, ['--version']).status === 0);

/** A test in a real browser; where there is none, it is left out, which CI refuses. */
export const inBrowser = browser || process.env.CI ? test : test.skip;
if (!browser) {
  process.stderr.write(
    `NOT TESTED: pages in a browser, since there is none of ${BROWSERS.join(', ')}\n`,
  );
}

const TYPES: { readonly [end: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/**
 * Opens a page that looks at others of a folder in frames.
 *
 * @param look the page: at its end it has the title `done`, and as its text what it found, as JSON
 */
export async function lookAt(
  folder: string,
  look: string,
): Promise<{ readonly found: unknown; readonly log: string }> {
  expect(browser).toBeDefined();
  const { html, log } = await served(folder, look, (address) => dump(`${address}/look`));
  expect(html).toContain('<title>done</title>');
  const text = /<body>(.*?)<\/body>/s.exec(html)![1]!;
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return { found: JSON.parse(plain), log };
}

/** Serves a folder, with the page that looks at it. */
async function served<T>(
  folder: string,
  look: string,
  act: (address: string) => Promise<T>,
): Promise<T> {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url!, 'http://site').pathname);
    if (name === '/look') {
      response.setHeader('content-type', 'text/html');
      response.end(look);
      return;
    }
    const file = path.join(folder, name);
    if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
    response.end(fs.readFileSync(file));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = server.address() as { port: number };
    return await act(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The page after its scripts ran, and what they reported. */
async function dump(address: string): Promise<{ html: string; log: string }> {
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--enable-logging=stderr',
    // of the clock that the page sees, which stops while it loads
    '--virtual-time-budget=1200000',
    '--dump-dom',
    address,
  ];
  const child = spawn(browser!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  await new Promise((resolve) => {
    child.on('close', resolve);
  });
  return { html: texts.stdout, log: texts.stderr };
}
