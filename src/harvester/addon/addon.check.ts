import { bundledAddon } from './addon.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { plainText } from '../../core/text/plain-text';
import { tryYaml } from '../../core/yaml/yaml-reader';

const REQUIRED = ['repo', 'chart', 'version', 'enabled', 'valuesContent'];
const VCLUSTER = 'rancher-vcluster';
/**
 * The chart of vcluster whose host name is a value of its own; later ones have it below `global`.
 * @see harvester/harvester:pkg/webhook/resources/addon/validator.go vCluster0190
 */
const VCLUSTER_ROOT_HOSTNAME = 'v0.19.0';
const SOURCE_FIELDS = ['repo', 'chart', 'version'];

/**
 * Checks an Addon. A bundled one may omit the fields that belong to Harvester.
 *
 * @param exists whether it is on the server, and so may be partial
 * @param readsGlobal whether Harvester reads the host name of vcluster in `global`; undefined if its version is not known
 * @see harvester/harvester:pkg/webhook/resources/addon/validator.go; pkg/apis/harvesterhci.io/v1beta1/addon.go
 */
export function* checkAddon(
  addon: Manifest,
  exists: boolean,
  readsGlobal?: boolean,
): Iterable<Problem> {
  const { spec } = addon;
  const { name, namespace } = addon.metadata;
  const fields = isRecord(spec) ? spec : {};
  const bundled = bundledAddon(name, namespace);
  if (!exists && !bundled) {
    for (const field of REQUIRED.filter(
      (key) => fields[key] === undefined || fields[key] === null,
    )) {
      yield {
        path: `spec.${field}`,
        message: 'must be set, unless Harvester includes the add-on',
        fix:
          field === 'valuesContent'
            ? 'set the values of the chart as a string with YAML, "" for no values'
            : 'set repo, chart, version, enabled and valuesContent',
        says: `spec.${field}: Required value`,
      };
    }
  }
  if (bundled) {
    for (const field of SOURCE_FIELDS.filter((key) => fields[key] !== undefined && !exists)) {
      const wrong = field === 'chart' && fields.chart !== bundled.chart && !isLate(fields.chart);
      yield {
        path: `spec.${field}`,
        value: fields[field],
        level: wrong ? 'error' : 'warning',
        message: wrong
          ? `must be ${bundled.chart}, the immutable chart of this add-on`
          : 'cannot be set: upgrades of Harvester write it, and this would revert them',
        fix: `remove ${field}: only enabled and valuesContent are needed`,
        ...(wrong ? { says: 'chart field cannot be changed.' } : {}),
      };
    }
  }
  yield* checkValues(name, namespace, fields, readsGlobal);
}

function* checkValues(
  name: string,
  namespace: string | undefined,
  fields: { readonly [field: string]: unknown },
  readsGlobal: boolean | undefined,
): Iterable<Problem> {
  const { valuesContent: text, enabled } = fields;
  const path = 'spec.valuesContent';
  if (typeof text !== 'string' || isLate(text)) {
    return;
  }
  const [values, fault] = valuesOf(text);
  if (fault !== undefined) {
    // the server does not parse it, and the chart is never installed
    yield {
      path,
      level: 'warning',
      message: `must be a YAML map (${fault}): otherwise the chart is not installed`,
      fix: 'set a map of values as YAML, "" for no values',
    };
    return;
  }
  if (name !== VCLUSTER || namespace !== VCLUSTER || enabled !== true) {
    return;
  }
  const unknown =
    readsGlobal === undefined || fields.version === undefined || isLate(fields.version);
  const fromRoot =
    readsGlobal === false ||
    (unknown ? !isRecord(values.global) : fields.version === VCLUSTER_ROOT_HOSTNAME);
  const hostname = plainText(
    (fromRoot ? values.hostname : valueAt(values.global, 'hostname')) ?? '',
  );
  const isAddress = /^[0-9.]+$/.test(hostname) || hostname.includes(':');
  if (
    !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(hostname) ||
    isAddress
  ) {
    yield {
      path: `${path}.${fromRoot ? '' : 'global.'}hostname`,
      value: hostname,
      message: 'must be a fully qualified host name',
      fix: `set a host name that is not an IP address, e.g. rancher.example.com${fromRoot ? '' : `, as global.hostname; version ${VCLUSTER_ROOT_HOSTNAME} reads hostname`}`,
      says: isAddress
        ? `${hostname} is not a valid hostname`
        : `invalid fqdn ${plainText(values.hostname ?? '')} provided for ${VCLUSTER} addon`,
    };
  }
}

/** The values of a chart, and why they cannot be read. */
export function valuesOf(
  text: string,
): [values: { readonly [key: string]: unknown }, fault?: string] {
  const { documents, fault } = tryYaml(text);
  if (!documents) {
    return [{}, fault];
  }
  const [values = {}, ...others] = documents.filter(
    (document) => document !== null && document !== undefined,
  );
  if (others.length > 0) {
    return [{}, 'more than one document'];
  }
  return isRecord(values) ? [values] : [{}, 'no map'];
}
