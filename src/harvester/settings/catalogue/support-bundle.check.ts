import { Duration } from 'cdk8s';
import type { ImagePullPolicy } from 'cdk8s-plus-28';
import { ANY, STRING, struct } from '../../../core/go/go-json';
import { Problem } from '../../../core/rule/problem';
import { SETTINGS_GO, VALIDATOR, integer, json, setting, warn } from '../setting-entry.check';

/** The image of support bundles. Once set, it is not updated with Harvester. */
export interface SupportBundleImageProps {
  /** Repository of the image, e.g. `rancher/support-bundle-kit`. */
  readonly repository: string;
  /** Tag of the image, e.g. `v0.0.36`. */
  readonly tag: string;
  /** @default ImagePullPolicy.IF_NOT_PRESENT */
  readonly imagePullPolicy?: ImagePullPolicy;
}

/** An image. @see harvester/harvester:pkg/settings/image.go Image */
interface ImageConfig {
  readonly repository: string;
  readonly tag?: unknown;
  readonly imagePullPolicy: string;
}

const IMAGE_FORMAT = '{"repository":"rancher/support-bundle-kit","tag":"v0.0.36","imagePullPolicy":"IfNotPresent"}';
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function checkImage({ repository, tag, imagePullPolicy }: ImageConfig): Problem[] {
  const says = 'image field can\'t be blank';
  const blank = (key: string): Problem => ({ path: `value.${key}`, message: 'is missing', fix: `give ${IMAGE_FORMAT}` });
  const problems: Problem[] = [];
  if (repository === '') { problems.push({ ...blank('repository'), says }); }
  // the server accepts a value without the key
  if (tag === '') { problems.push({ ...blank('tag'), says }); } else if (tag === undefined) { problems.push(warn(blank('tag'))); }
  if (imagePullPolicy === '') {
    problems.push({ ...blank('imagePullPolicy'), says });
  } else if (!PULL_POLICIES.includes(imagePullPolicy)) {
    const allowed = PULL_POLICIES.join(', ');
    problems.push(warn({ path: 'value.imagePullPolicy', value: imagePullPolicy, message: `must be one of ${allowed}`, fix: `give one of ${allowed}` }));
  }
  return problems;
}

const LABEL_SAYS = 'invalid file name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an '
  + 'alphanumeric character (e.g. \'my-name\',  or \'123-abc\', regex used for validation is \'[a-z0-9]([-a-z0-9]*[a-z0-9])?\')';

function checkFileName(value: string): Problem[] {
  const at = { path: 'value', value, fix: 'give at most 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends' };
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) { return [{ ...at, message: 'must be an RFC 1123 label', says: LABEL_SAYS }]; }
  return value.length <= 63 ? [] : [{ ...at, message: 'must have at most 63 characters', says: 'invalid file name: must be no more than 63 bytes' }];
}

function checkNamespaces(value: string): Problem[] {
  return value.split(',').filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)).map((name) => warn({
    path: 'value', value: name, message: 'must be the name of a namespace', fix: 'give names of namespaces, separated by commas alone',
  }));
}

/** A setting in whole minutes. */
function minutes(since: string, what: string, builtIn: string, says: string) {
  return setting<Duration>({
    since,
    what,
    format: builtIn.replace(/,.*/, ''),
    default: builtIn,
    judgesDefault: 'always',
    level: 'error',
    print: (duration) => String(duration.toMinutes()),
    source: VALIDATOR,
    check: integer({ allowed: 'a number of minutes of 0 or more', refuses: (number) => (number < 0 ? says : undefined) }),
  });
}

/** The settings of support bundles. */
export const SUPPORT_BUNDLE_FAMILY = {
  'support-bundle-image': setting<SupportBundleImageProps>({
    what: 'the image of support bundles; once set, it is not updated with Harvester',
    format: IMAGE_FORMAT,
    default: 'the image of the release',
    judgesDefault: 'always',
    level: 'error',
    print: ({ repository, tag, imagePullPolicy }) => ({ repository, tag, imagePullPolicy: imagePullPolicy ?? 'IfNotPresent' }),
    source: VALIDATOR,
    check: json<ImageConfig>({ type: struct({ repository: STRING, tag: ANY, imagePullPolicy: STRING }), judge: checkImage }),
  }),
  'support-bundle-timeout': minutes('1.2.0', 'the minutes after which a support bundle fails; 0 means never', '50, before 1.6.0 10', 'timeout can\'t be negative'),
  'support-bundle-expiration': minutes('1.3.0', 'the minutes that a support bundle is kept', '30', 'expiration can\'t be negative'),
  'support-bundle-node-collection-timeout': minutes(
    '1.3.1', 'the minutes for collecting a support bundle from the nodes', '30', 'node collection timeout can\'t be negative'),
  'support-bundle-file-name': setting<string>({
    since: '1.8.0',
    what: 'the file name of a support bundle',
    format: 'an RFC 1123 label',
    default: '',
    judgesDefault: 'always',
    level: 'error',
    print: (name) => name,
    source: VALIDATOR,
    check: checkFileName,
  }),
  'support-bundle-namespaces': setting<readonly string[]>({
    since: '1.2.0',
    what: 'additional namespaces of a support bundle',
    format: 'names, separated by commas',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    print: (namespaces) => namespaces.join(','),
    source: SETTINGS_GO,
    check: checkNamespaces,
  }),
};
