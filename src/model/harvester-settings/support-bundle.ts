import { Problem } from '../problem';
import { integerCheck, jsonCheck, warn } from './checks';
import { SettingEntry, SETTINGS_GO, VALIDATOR } from './entry';
import { ANY, named, STRING, struct } from './go-json-decode';
import { SETTING } from './names';

/** An image. @see harvester/harvester:pkg/settings/image.go Image */
interface ImageConfig {
  readonly repository: string;
  readonly tag?: unknown;
  readonly imagePullPolicy: string;
}

const IMAGE_FORMAT = '{"repository":"rancher/support-bundle-kit","tag":"v0.0.36","imagePullPolicy":"IfNotPresent"}';
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function checkImage({ repository, tag, imagePullPolicy }: ImageConfig): Problem[] {
  const blank = (key: string): Problem => ({ path: `value.${key}`, message: 'must not be empty', fix: `give ${IMAGE_FORMAT}`, says: 'image field can\'t be blank' });
  const problems: Problem[] = [];
  if (repository === '') { problems.push(blank('repository')); }
  // the server lets a tag that is not there at all pass
  if (tag === '') { problems.push(blank('tag')); } else if (tag === undefined) { problems.push(warn({ ...blank('tag'), message: 'is missing', says: undefined })); }
  if (imagePullPolicy === '') {
    problems.push(blank('imagePullPolicy'));
  } else if (!PULL_POLICIES.includes(imagePullPolicy)) {
    problems.push(warn({ path: 'value.imagePullPolicy', value: imagePullPolicy, message: 'is no pull policy', fix: `give one of ${PULL_POLICIES.join(', ')}` }));
  }
  return problems;
}

const LABEL_SAYS = 'invalid file name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an '
  + 'alphanumeric character (e.g. \'my-name\',  or \'123-abc\', regex used for validation is \'[a-z0-9]([-a-z0-9]*[a-z0-9])?\')';

function checkFileName(value: string): Problem[] {
  const fix = 'give up to 63 of a-z, 0-9 and hyphens, which begins and ends with a letter or digit';
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) { return [{ path: 'value', value, message: 'must be an RFC 1123 label', fix, says: LABEL_SAYS }]; }
  return value.length <= 63 ? [] : [{ path: 'value', value, message: 'is too long', fix, says: 'invalid file name: must be no more than 63 bytes' }];
}

function checkNamespaces(value: string): Problem[] {
  return value.split(',').filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)).map((name) => warn({
    path: 'value', value: name, message: 'is no name of a namespace', fix: 'give names of namespaces, separated by commas alone',
  }));
}

function minutes(what: string, says: string) {
  return integerCheck({ what, allowed: '0 or more minutes', refuses: (number) => (number < 0 ? says : undefined) });
}

export const SUPPORT_BUNDLE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.SUPPORT_BUNDLE_IMAGE,
    what: 'the image that makes support bundles; it is not updated with Harvester once it is set',
    format: IMAGE_FORMAT,
    default: 'the image of the release',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: jsonCheck<ImageConfig>({
      format: IMAGE_FORMAT, type: struct('settings.Image', { repository: STRING, tag: ANY, imagePullPolicy: named('v1.PullPolicy') }), judge: checkImage,
    }),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_TIMEOUT,
    since: '1.2.0',
    what: 'the minutes after which making a support bundle is given up; 0 is never',
    format: '50',
    default: '50, before 1.6.0 10',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'timeout can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_EXPIRATION,
    since: '1.3.0',
    what: 'the minutes that a support bundle is kept',
    format: '30',
    default: '30',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'expiration can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_NODE_COLLECTION_TIMEOUT,
    since: '1.3.1',
    what: 'the minutes that collecting from the nodes may take',
    format: '30',
    default: '30',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'node collection timeout can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_FILE_NAME,
    since: '1.8.0',
    what: 'the name of the file that a support bundle is packed into',
    format: 'an RFC 1123 label',
    default: '',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: checkFileName,
  },
  {
    name: SETTING.SUPPORT_BUNDLE_NAMESPACES,
    since: '1.2.0',
    what: 'further namespaces that a support bundle looks into',
    format: 'names, separated by commas',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: checkNamespaces,
  },
];
