import { Kubeseal } from './kubeseal';
import { SealScope, encryptedDataOf, scopeOf, sealedFor, secretValues } from './sealed-secret';
import { Manifest } from '../manifest/manifest';
import { digestKey, keyedDigest } from '../secret/keyed-digest';

/** Digests of the values of a SealedSecret, by key. */
export type ValueDigests = { readonly [key: string]: string };

/** A Secret to be sealed. */
export interface SealRequest {
  readonly secret: Manifest;
  /** The earlier SealedSecret, and the digests of its values. @default - there was none */
  readonly previous?: { readonly sealed: unknown; readonly digests?: ValueDigests };
}

/** The encrypted values of a Secret. */
export interface SealedValues {
  readonly encryptedData: { readonly [key: string]: string };
  /** Undefined without a key for digests. */
  readonly digests?: ValueDigests;
  /** Whether a previous value was encrypted again without a look at whether it changed. */
  readonly again: boolean;
}

/** Seals Secrets for one controller, and keeps encrypted values whose plain text did not change. */
export class Sealer {
  private readonly key = digestKey();

  constructor(private readonly kubeseal: Kubeseal, private readonly certificate: string, private readonly scope: SealScope) {}

  public seal(requests: readonly SealRequest[]): SealedValues[] {
    const open = requests.map((request) => this.openValues(request));
    const fresh = this.sealed(requests, open);
    return requests.map(({ secret, previous }, index): SealedValues => {
      const values = secretValues(secret);
      const former = encryptedDataOf(previous?.sealed);
      const encryptedData = Object.fromEntries([...values.keys()].sort().map((key) => [key, open[index].has(key) ? fresh[index][key] : former[key]]));
      const digests = Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([key, value]) => {
        const digest = this.digest(secret, key, value, encryptedData[key]);
        return digest === undefined ? [] : [[key, digest]];
      }));
      return { encryptedData, ...(this.key === undefined ? {} : { digests }), again: this.key === undefined && Object.keys(former).length > 0 };
    });
  }

  /** The values without an encrypted form that is still right. */
  private openValues({ secret, previous }: SealRequest): ReadonlyMap<string, string> {
    const former = encryptedDataOf(previous?.sealed);
    return new Map([...secretValues(secret)].filter(([key, value]) => {
      const digest = former[key] === undefined ? undefined : this.digest(secret, key, value, former[key]);
      return digest === undefined || digest !== previous?.digests?.[key];
    }));
  }

  /** One run of kubeseal for each scope. */
  private sealed(requests: readonly SealRequest[], open: readonly ReadonlyMap<string, string>[]): { readonly [key: string]: string }[] {
    const found: { readonly [key: string]: string }[] = requests.map(() => ({}));
    const scopes = requests.map(({ secret }) => scopeOf(secret, this.scope));
    for (const scope of new Set(scopes)) {
      const places = requests.flatMap((_, index) => (scopes[index] === scope && open[index].size > 0 ? [index] : []));
      const sealed = this.kubeseal.seal(places.map((index) => {
        const { namespace = '', name } = requests[index].secret.metadata;
        return { namespace, name, values: open[index] };
      }), this.certificate, scope);
      places.forEach((index, place) => { found[index] = sealed[place]; });
    }
    return found;
  }

  private digest(secret: Manifest, key: string, value: string, encrypted: string): string | undefined {
    const scope = scopeOf(secret, this.scope);
    return this.key === undefined ? undefined : keyedDigest(this.key, this.certificate, scope, sealedFor(secret, scope), key, value, encrypted);
  }
}
