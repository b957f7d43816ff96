import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { API_CATALOG, NO_REFRESH } from './catalog.kind';
import { checkClusterRepo } from './cluster-repo.check';
import {
  ClusterResource,
  ExistingClusterResource,
  ExistingResourceOptions,
  ResourceProps,
} from '../../core/app/resource';
import { IResource } from '../../core/construct/target';
import { FieldTable } from '../../core/fields/field-table';
import {
  booleanField,
  numberField,
  secondsField,
  structField,
  textField,
} from '../../core/fields/fields';
import { checkCertificates, pemBlocks } from '../../core/problem/certificates';
import { asProps, collectProblems, Problem } from '../../core/problem/problem';
import { filledText } from '../../core/text/plain-text';

const KIND = { apiVersion: API_CATALOG, kind: 'ClusterRepo' };

/** A repository of Helm charts on a cluster: declared by the program, or existing. */
export interface IClusterRepo extends IResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly clusterRepoId: string;
}

/** The Secret with the credentials of a repository. */
export interface ClusterRepoSecret {
  /** The name of the Secret. */
  readonly name: string;
  /** The namespace of the Secret, on the cluster of the repository. */
  readonly namespace: string;
}

/** The account that installs charts of a repository. */
export interface ClusterRepoServiceAccount {
  /** The name of the ServiceAccount. */
  readonly name: string;
  /** The namespace of the ServiceAccount, on the cluster of the repository. */
  readonly namespace: string;
}

/**
 * How long Rancher waits before it tries again: in a registry after the answer 429, otherwise after
 * each failed download.
 */
export interface ClusterRepoBackOff {
  /**
   * The first wait, at least one second.
   * @default - 1 second for registries, otherwise 5 minutes
   */
  readonly minWait?: Duration;
  /** The longest wait. @default - 5 seconds for registries, otherwise 20 minutes */
  readonly maxWait?: Duration;
  /**
   * The number of attempts before Rancher waits for the next refresh.
   * @default - 5 for registries, otherwise 3
   */
  readonly maxRetries?: number;
}

/** Which charts of an OCI registry the repository lists. */
export interface ClusterRepoOciOptions {
  /** Whether all tags are downloaded, instead of the latest one alone. @default false */
  readonly downloadAllTags?: boolean;
  /** Semantic version range that tags must be in, e.g. `>= 1.2.0`. @default - all tags */
  readonly tagFilter?: string;
}

/** Properties of a repository of Helm charts. */
export interface ClusterRepoProps extends ResourceProps {
  /**
   * The URL of a Helm repository (`https://`), or of a registry, repository, or tag with charts
   * (`oci://`, Rancher 2.9.0 and later).
   * @default - the charts come from `gitRepo`
   */
  readonly url?: string;
  /**
   * The URL of a Git repository with charts: `https://`, or SSH such as
   * `git@git.example.com:platform/charts`.
   * @default - the charts come from `url`
   */
  readonly gitRepo?: string;
  /** The branch of the Git repository. @default - the default branch of the repository */
  readonly gitBranch?: string;
  /** Whether Rancher downloads the repository. @default true */
  readonly enabled?: boolean;
  /**
   * How often Rancher downloads the repository again, in whole seconds.
   * @default - every hour; every 24 hours for registries
   */
  readonly refreshInterval?: Duration;
  /**
   * Whether Rancher downloads the repository again by itself. Without it, changes and `forceUpdate`
   * alone do. False needs Rancher 2.15.
   * @default true
   */
  readonly automaticRefresh?: boolean;
  /**
   * The Secret with credentials: `kubernetes.io/basic-auth` for all sources, `kubernetes.io/tls`
   * for `https://`, `kubernetes.io/ssh-auth` for Git.
   * @default - no credentials
   */
  readonly clientSecret?: ClusterRepoSecret;
  /**
   * The certificate authority of the repository, a single certificate in PEM form.
   * @default - public certificate authorities
   */
  readonly caCertificates?: string;
  /** Whether to skip the verification of the repository's certificate. @default false */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * Whether to connect to the registry of an `oci://` URL by HTTP without TLS. Rancher 2.9.0 and
   * later.
   * @default false
   */
  readonly insecurePlainHttp?: boolean;
  /** Whether credentials are also sent to other hosts that the repository names. @default false */
  readonly disableSameOriginCheck?: boolean;
  /**
   * A time in the form of RFC 3339: Rancher downloads the repository again if its last download is
   * older.
   * @default - Rancher's UI sets it, to refresh
   */
  readonly forceUpdate?: string;
  /**
   * The account that operations on charts of the repository run as, instead of the user who starts
   * them.
   * @default - that user
   */
  readonly serviceAccount?: ClusterRepoServiceAccount;
  /** How failed downloads are repeated. @default - see ClusterRepoBackOff */
  readonly backOff?: ClusterRepoBackOff;
  /**
   * Which charts of an `oci://` URL are listed. Rancher 2.14.1 and later.
   * @default - the latest version of each chart
   */
  readonly oci?: ClusterRepoOciOptions;
}

/** The fields of a ClusterRepo. */
export const CLUSTER_REPO_FIELDS = new FieldTable<Omit<ClusterRepoProps, keyof ResourceProps>>(
  'spec',
  {
    url: textField('url'),
    gitRepo: textField('gitRepo'),
    gitBranch: textField('gitBranch'),
    enabled: booleanField('enabled'),
    refreshInterval: secondsField('refreshInterval'),
    automaticRefresh: {
      path: 'refreshInterval',
      write: (automatic) => (automatic ? undefined : NO_REFRESH),
      read: (seconds) => (seconds === NO_REFRESH ? false : undefined),
    },
    // the time at which someone refreshed it in the UI: adopt leaves it out
    forceUpdate: {
      path: 'forceUpdate',
      write: (time) => time,
      read: () => undefined,
    },
    serviceAccount: structField(
      '',
      {
        name: textField('serviceAccount'),
        namespace: textField('serviceAccountNamespace'),
      },
      ['name', 'namespace'],
    ),
    clientSecret: structField(
      'clientSecret',
      {
        name: textField('name'),
        namespace: textField('namespace'),
      },
      ['name', 'namespace'],
    ),
    // the base64 of the DER form, which Rancher reads; the definition describes PEM
    caCertificates: {
      path: 'caBundle',
      write: derOf,
      read: pemOf,
    },
    insecureSkipTlsVerify: booleanField('insecureSkipTLSVerify'),
    insecurePlainHttp: booleanField('insecurePlainHttp'),
    disableSameOriginCheck: booleanField('disableSameOriginCheck'),
    backOff: structField('exponentialBackOffValues', {
      minWait: secondsField('minWait'),
      maxWait: secondsField('maxWait'),
      maxRetries: numberField('maxRetries'),
    }),
    oci: structField('OCIOptions', {
      downloadAllTags: booleanField('downloadAllTags'),
      tagFilter: textField('tagFilter'),
    }),
  },
);

/**
 * The ClusterRepo (`catalog.cattle.io/v1`): a repository of Helm charts that Rancher's UI lists
 * under Apps of the cluster.
 *
 * Create it in the chart of Rancher, of a Harvester, or of a guest cluster: Rancher's agents serve
 * the kind on each of them. It installs no chart: see `HelmChartAddon`.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/helm-charts-in-rancher
 * @example
 * new ClusterRepo(rancher, 'platform', { url: 'https://charts.example.com', clientSecret: { name: 'charts-login', namespace: 'cattle-system' } });
 * new ClusterRepo(shop.chart, 'team', { gitRepo: 'https://git.example.com/team/charts', gitBranch: 'main' });
 */
export class ClusterRepo extends ClusterResource implements IClusterRepo {
  /** A reference to an existing repository, e.g. `rancher-charts`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IClusterRepo {
    return new ExistingClusterRepo(scope, id, 'ClusterRepo.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: ClusterRepoProps) {
    super(scope, id, props);
    const { automaticRefresh, refreshInterval, backOff, caCertificates } = props;
    if (automaticRefresh !== false) {
      collectProblems(this, checkWholeSeconds('refreshInterval', refreshInterval));
    }
    collectProblems(this, [
      ...checkWholeSeconds('backOff.minWait', backOff?.minWait),
      ...checkWholeSeconds('backOff.maxWait', backOff?.maxWait),
    ]);
    if (automaticRefresh === false && refreshInterval !== undefined) {
      collectProblems(this, [
        {
          path: 'refreshInterval',
          message: 'cannot be set without automaticRefresh: the repository is not downloaded again',
          fix: 'remove it, or set automaticRefresh to true',
        },
      ]);
    }
    if (pemBlocks(caCertificates ?? '').length > 1) {
      collectProblems(this, [
        {
          path: 'caCertificates',
          message: 'must be a single certificate: Rancher reads no bundle here',
          fix: 'set the certificate of the authority alone',
        },
      ]);
    }
    collectProblems(this, checkCertificates('caCertificates', caCertificates));
    const spec = CLUSTER_REPO_FIELDS.write(props);
    const manifest = { ...KIND, metadata: { name: this.name }, spec };
    collectProblems(this, asProps(checkClusterRepo(manifest), CLUSTER_REPO_FIELDS.names));
    this._write({ ...KIND, spec }, { props: CLUSTER_REPO_FIELDS.names });
  }

  public get clusterRepoId(): string {
    return this.name;
  }
}

class ExistingClusterRepo extends ExistingClusterResource implements IClusterRepo {
  public get clusterRepoId(): string {
    return this.name;
  }
}

function checkWholeSeconds(path: string, duration: Duration | undefined): Problem[] {
  const value = duration?.toSeconds({ integral: false });
  return value === undefined || Number.isInteger(value)
    ? []
    : [{ path, value, message: 'must be whole seconds', fix: 'round it' }];
}

function derOf(pem: string): string | undefined {
  return pemBlocks(pem)[0]?.replace(/-----[A-Z ]+-----|\s/g, '');
}

function pemOf(der: unknown): string | undefined {
  const text = filledText(der);
  if (text === undefined) {
    return undefined;
  }
  const lines = text.match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
