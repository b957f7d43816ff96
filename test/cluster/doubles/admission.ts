import { IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { AddressInfo } from 'node:net';
import { Live } from './live';
import { groupOf } from '../../../src/core/manifest/manifest';
import { Authority } from '../../support/authority';
import { Client } from '../client';

/** What an API server asks a webhook. */
export interface Review {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly dryRun: boolean;
  readonly name: string;
  readonly resource: { readonly resource: string };
  readonly userInfo: { readonly username: string };
  readonly object: Live;
  readonly oldObject: Live;
}

/** The words of a webhook that refuses, and the status it refuses with. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly causes?: readonly string[];
  /** The webhook answers an error itself, so that the API server cannot read a verdict. */
  readonly broken?: boolean;
}

/** One webhook: it changes what is written, or judges it. */
export interface Webhook {
  /** As the server's refusals name it. */
  readonly name: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly operations: readonly Review['operation'][];
  readonly mutate?: (draft: Live, review: Review) => Promise<void> | void;
  readonly validate?: (review: Review) => Promise<Refusal | undefined> | Refusal | undefined;
}

/**
 * A server of admission webhooks, registered with an API server: all clients meet it, as they meet
 * the real ones.
 */
export class Admission {
  public static async start(
    client: Client,
    name: string,
    webhooks: readonly Webhook[],
  ): Promise<Admission> {
    const admission = new Admission(webhooks);
    await new Promise<void>((resolve) => admission.server.listen(0, '127.0.0.1', resolve));
    // it must not keep a process alive that has nothing else to do
    admission.server.unref();
    await admission.register(client, name);
    return admission;
  }

  private readonly authority = new Authority();
  private readonly server: https.Server;

  private constructor(private readonly webhooks: readonly Webhook[]) {
    this.server = https.createServer(this.authority.issue(), (request, response) => {
      void this.answer(request)
        .catch((error: Error) => ({ status: 500, body: { message: error.message } }))
        .then(({ status, body }) => {
          // an error is text, which the API server then quotes
          response.writeHead(status, {
            'content-type': status === 200 ? 'application/json' : 'text/plain',
          });
          response.end(JSON.stringify(body));
        });
    });
    // the API server sends a request again only where it changes nothing, so no connection is
    // closed while it is kept
    this.server.keepAliveTimeout = 0;
  }

  public async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async register(client: Client, name: string): Promise<void> {
    const { port } = this.server.address() as AddressInfo;
    for (const [kind, handles] of [
      ['MutatingWebhookConfiguration', 'mutate'],
      ['ValidatingWebhookConfiguration', 'validate'],
    ] as const) {
      const names = [
        ...new Set(
          this.webhooks.filter((webhook) => webhook[handles]).map((webhook) => webhook.name),
        ),
      ];
      if (names.length === 0) {
        continue;
      }
      const webhooks = names.map((webhook) => ({
        name: webhook,
        clientConfig: {
          url: `https://127.0.0.1:${port}/${handles}/${webhook}`,
          caBundle: Buffer.from(this.authority.cert).toString('base64'),
        },
        rules: this.named(webhook, handles).map(({ apiVersion, resource, operations }) => ({
          apiGroups: [groupOf(apiVersion)],
          apiVersions: [apiVersion.split('/').at(-1)],
          resources: [resource],
          operations,
        })),
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
      }));
      const { status, body } = await client.apply({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name },
        ...{ webhooks },
      });
      if (status >= 300) {
        throw new Error(`${kind} ${name}: ${body.message}`);
      }
    }
  }

  private named(name: string, handles: Handles): Webhook[] {
    return this.webhooks.filter((webhook) => webhook.name === name && webhook[handles]);
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const [, handles, name] = request.url!.split('?')[0].split('/') as [string, Handles, string];
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const { request: review } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      request: Review;
    };
    const isMeant = ({ resource, operations }: Webhook): boolean =>
      resource === review.resource.resource && operations.includes(review.operation);
    const webhooks = this.named(name, handles).filter(isMeant);
    const { response, broken } = await (handles === 'mutate'
      ? mutated(webhooks, review)
      : judged(webhooks, review));
    const body = {
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      ...(broken ? { request: review } : {}),
      response: { uid: review.uid, ...response },
    };
    return { status: broken ? 500 : 200, body };
  }
}

type Handles = 'mutate' | 'validate';

interface Verdict {
  readonly response: object;
  readonly broken?: boolean;
}

async function judged(webhooks: readonly Webhook[], review: Review): Promise<Verdict> {
  for (const webhook of webhooks) {
    const refusal = await webhook.validate!(review);
    if (!refusal) {
      continue;
    }
    const { code, message, reason, causes, broken } = refusal;
    const details = causes && { causes: causes.map((cause) => ({ message: cause })) };
    const status = {
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
    return { response: { allowed: false, status }, broken };
  }
  return { response: { allowed: true } };
}

/** JSON Patch of the parts that differ. */
async function mutated(webhooks: readonly Webhook[], review: Review): Promise<Verdict> {
  const draft = JSON.parse(JSON.stringify(review.object)) as Live;
  for (const webhook of webhooks) {
    await webhook.mutate!(draft, review);
  }
  const changed = Object.keys(draft).filter(
    (key) => JSON.stringify(draft[key]) !== JSON.stringify(review.object[key]),
  );
  const patch = changed.map((key) => ({
    op: 'add',
    path: `/${key}`,
    value: draft[key] as unknown,
  }));
  if (patch.length === 0) {
    return { response: { allowed: true } };
  }
  return {
    response: {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    },
  };
}
