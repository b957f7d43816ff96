import { X509Certificate } from 'crypto';
import { OCI_SCHEME, RANCHER_CHARTS, isInRegistry } from './catalog.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { isRfc3339 } from '../../core/text/time';
import { attempt } from '../../core/text/values';
import { isWebAddress } from '../../core/text/web-address';

/**
 * How Rancher recognizes a Git repository by SSH.
 * @see rancher/rancher:pkg/catalogv2/git/utils.go isGitSSH
 */
const GIT_BY_SSH = [/^[^:/]+@[^:]+:[a-zA-Z]+\/[^/]+$/, /^ssh:\/\/[^@]+@[^:]+:\d+\/.+$/];

/**
 * The waits that Rancher uses where a ClusterRepo sets none, in seconds.
 * @see rancher/rancher:pkg/controllers/dashboard/helm/repo_oci.go getRetryPolicy
 */
const WAITS = { registry: [1, 5], other: [300, 1200] } as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Checks a ClusterRepo.
 *
 * @param sourceLevel the level of two sources, and of none: Rancher accepts both, since its webhook
 * is registered for namespaced objects, and a ClusterRepo is not one
 * @see rancher/rancher:pkg/catalogv2, pkg/controllers/dashboard/helm/repo.go download
 */
export function* checkClusterRepo(
  repository: Manifest,
  sourceLevel: Problem['level'] = 'error',
): Iterable<Problem> {
  const spec = isRecord(repository.spec) ? repository.spec : {};
  const { url, gitRepo, gitBranch } = spec;
  if (isText(url) && isText(gitRepo)) {
    yield {
      path: 'spec.gitRepo',
      message: 'cannot be set together with url: Rancher ignores url then',
      fix: 'set either url or gitRepo',
      level: sourceLevel,
    };
  }
  if (!isText(url) && !isText(gitRepo)) {
    yield {
      path: 'spec.url',
      message: 'must be set unless gitRepo is: Rancher lists no new charts',
      fix: 'set either url or gitRepo',
      level: sourceLevel,
    };
  }
  if (isText(url) && !isLate(url) && !url.startsWith(OCI_SCHEME) && !isWebAddress(url)) {
    yield {
      path: 'spec.url',
      value: url,
      message: `must begin with https://, http:// or ${OCI_SCHEME}`,
      fix: 'correct the URL, or set gitRepo',
    };
  }
  if (
    isText(gitRepo) &&
    !isLate(gitRepo) &&
    !isWebAddress(gitRepo) &&
    !GIT_BY_SSH.some((form) => form.test(gitRepo))
  ) {
    yield {
      path: 'spec.gitRepo',
      value: gitRepo,
      message: 'must be a URL with https://, http:// or ssh://, or user@host:path with one slash',
      fix: 'correct the URL, e.g. git@git.example.com:platform/charts',
      says: `invalid git URL: ${gitRepo}`,
    };
  }
  if (isText(gitBranch) && !isText(gitRepo)) {
    yield {
      path: 'spec.gitBranch',
      value: gitBranch,
      level: 'warning',
      message: 'has no effect without gitRepo',
      fix: 'remove it, or set gitRepo',
    };
  }
  yield* checkTime(spec.forceUpdate);
  yield* checkUnread(repository, spec);
  yield* checkRegistryFields(repository, spec);
  yield* checkCaBundle(spec.caBundle);
}

function* checkTime(forceUpdate: unknown): Iterable<Problem> {
  if (!isText(forceUpdate) || isLate(forceUpdate) || isRfc3339(forceUpdate)) {
    return;
  }
  yield {
    path: 'spec.forceUpdate',
    value: forceUpdate,
    message: 'must be a date and time of RFC 3339',
    fix: 'write it in the form 2026-01-31T09:30:00Z',
    says: 'must be of type date-time',
  };
}

/**
 * Fields of the definition that Rancher does not read.
 * @see rancher/rancher:pkg/catalogv2; pkg/catalogv2/helmop/pull_secrets.go (2.15.0)
 */
function* checkUnread(
  { metadata }: Manifest,
  spec: { readonly [field: string]: unknown },
): Iterable<Problem> {
  const { name } = metadata;
  if (isText(spec.basicAuthSecretName)) {
    yield {
      path: 'spec.basicAuthSecretName',
      level: 'warning',
      message: 'has no effect: Rancher does not read it',
      fix: 'set clientSecret to a Secret of type kubernetes.io/basic-auth',
    };
  }
  if (
    Array.isArray(spec.defaultImagePullSecrets) &&
    spec.defaultImagePullSecrets.length > 0 &&
    name !== RANCHER_CHARTS
  ) {
    yield {
      path: 'spec.defaultImagePullSecrets',
      level: 'warning',
      message: `has no effect: Rancher reads it only in ${RANCHER_CHARTS}, where it writes the setting system-default-registry-pull-secrets`,
      fix: 'set the pull secrets in the values of the chart',
    };
  }
}

function* checkRegistryFields(
  repository: Manifest,
  spec: { readonly [field: string]: unknown },
): Iterable<Problem> {
  const inRegistry = isInRegistry(repository);
  if (!inRegistry && !isLate(spec.url)) {
    for (const field of ['insecurePlainHttp', 'OCIOptions'].filter(
      (each) => spec[each] !== undefined && spec[each] !== false,
    )) {
      yield {
        path: `spec.${field}`,
        level: 'warning',
        message: `has no effect: it applies only to a url with ${OCI_SCHEME}`,
        fix: 'remove it',
      };
    }
  }
  const waits = isRecord(spec.exponentialBackOffValues) ? spec.exponentialBackOffValues : {};
  const [first, last] = inRegistry ? WAITS.registry : WAITS.other;
  const seconds = (value: unknown, byDefault: number): number =>
    typeof value === 'number' && value > 0 ? value : byDefault;
  const path = 'spec.exponentialBackOffValues';
  if (typeof waits.minWait === 'number' && waits.minWait < 0) {
    yield {
      path: `${path}.minWait`,
      value: waits.minWait,
      message: 'must be at least 1 second',
      fix: 'set 1 or more',
      says: 'minWait must be at least 1 second',
    };
  } else if (seconds(waits.maxWait, last) < seconds(waits.minWait, first)) {
    yield {
      path: `${path}.maxWait`,
      value: waits.maxWait,
      message: `must be at least minWait (seconds): the defaults are minWait ${first} and maxWait ${last}`,
      fix: 'set both',
      says: 'maxWait must be greater than or equal to minWait',
    };
  }
}

/**
 * Rancher parses the bytes as one certificate in DER form, and fails on PEM, although the
 * definition describes PEM.
 */
function* checkCaBundle(text: unknown): Iterable<Problem> {
  if (!isText(text) || isLate(text)) {
    return;
  }
  const bytes = Buffer.from(text, 'base64');
  // a certificate in PEM form is read too, and more bytes than one certificate are ignored
  if (bytes[0] === 0x30 && attempt(() => new X509Certificate(bytes).raw.length) === bytes.length) {
    return;
  }
  yield {
    path: 'spec.caBundle',
    message: 'must be the base64 of one certificate in DER form: Rancher does not read PEM here',
    fix: 'write the lines between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE----- of a single certificate, without line breaks',
    says: 'x509: malformed certificate',
  };
}
