import * as https from 'node:https';

/** What Rancher's own API answered. */
export interface RancherAnswer {
  readonly status: number;
  readonly text: string;
}

/** A lab's Rancher may have a certificate that only its agents trust. */
const AGENT = new https.Agent({ rejectUnauthorized: false });

/** Asks Rancher's own API, without a login or with the token of one. */
export async function askRancher(
  url: string,
  body?: object,
  token?: string,
): Promise<RancherAnswer> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      url,
      {
        agent: AGENT,
        method: body ? 'POST' : 'GET',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString('utf8'),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}
