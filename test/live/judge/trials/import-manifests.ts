import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { askRancher } from './rancher-api';
import { Witness } from './witness';
import { isRecord, Manifest } from '../../../../src/core/manifest/manifest';
import { GROUPS } from '../../../../src/core/manifest/names';
import { Cluster, refOf } from '../../../../src/engine/cluster/cluster';
import { refusalOf } from '../verdict';

/** How long Rancher may need to create the token of a registration. */
const TOKEN_MS = 60_000;
const LOOK_MS = 500;

const AGENT = 'cattle-cluster-agent';
const TOKENS = [`${GROUPS.MANAGEMENT}/v3`, 'ClusterRegistrationToken'] as const;

/** The place of the token in a URL, since tokens are in Secrets. */
const TOKEN = '{token}';

/** The status of a registration. */
interface Registration {
  readonly manifestUrl?: string;
  readonly tokenSecretName?: string;
}

/** The manifest of an agent, which the import of a cluster applies there. */
export class ImportManifests implements Witness {
  public constructor(private readonly cluster: Cluster) {}

  public tells({ apiVersion, spec }: Manifest): boolean {
    return apiVersion.startsWith(GROUPS.PROVISIONING) && !(isRecord(spec) && 'rkeConfig' in spec);
  }

  public async see(): Promise<void> {
    return undefined;
  }

  /** The refusal of the agent's Deployment by an API server. */
  public async failureOf(changed: Manifest): Promise<string | undefined> {
    const url = await this.urlOf(changed);
    const { text } = url ? await askRancher(url) : { text: '' };
    const documents = parseAllDocuments(text).map((each): unknown => each.toJS());
    const agent = documents.find(
      (each): each is Manifest =>
        isRecord(each) &&
        isRecord(each.metadata) &&
        each.metadata.name === AGENT &&
        each.kind === 'Deployment',
    );
    return agent && refusalOf(this.cluster, agent);
  }

  private async urlOf(object: Manifest): Promise<string | undefined> {
    for (const end = Date.now() + TOKEN_MS; Date.now() < end; await sleep(LOOK_MS)) {
      const live = await this.cluster.read(refOf(object));
      const { clusterName: namespace } = (live?.status ?? {}) as { readonly clusterName?: string };
      const tokens = namespace ? await this.cluster.list(...TOKENS, { namespace }) : [];
      for (const { status } of tokens) {
        const url = await this.withToken((status ?? {}) as Registration, namespace!);
        if (url) {
          return url;
        }
      }
    }
    return undefined;
  }

  private async withToken(
    { manifestUrl, tokenSecretName: name }: Registration,
    namespace: string,
  ): Promise<string | undefined> {
    if (!manifestUrl || !name) {
      return manifestUrl;
    }
    const secret = await this.cluster.read({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    const { token = '' } = (secret?.data ?? {}) as { readonly token?: string };
    return manifestUrl.replace(TOKEN, Buffer.from(token, 'base64').toString('utf8'));
  }
}
