import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lab } from './lab';

/** How long Rancher may take to read what was applied. */
const READ_MS = 20_000;
const LOOK_MS = 500;

/** A page of Rancher. */
export interface Page {
  readonly status: number;
  readonly text: string;
}

/** A page of Rancher as those see it who have not logged in: by its server URL, with any certificate. */
export async function publicPage(lab: Lab, path: string): Promise<Page> {
  const deadline = Date.now() + READ_MS;
  for (;;) {
    const page = await read(new URL(path, lab.facts.serverUrl));
    if (page.status === 200 || Date.now() > deadline) {
      return page;
    }
    await sleep(LOOK_MS);
  }
}

async function read(url: URL): Promise<Page> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
