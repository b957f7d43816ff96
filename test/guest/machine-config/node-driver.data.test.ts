import { ApiCall, CLEANUP_CALLS, NODE_DRIVER_CALLS } from './_node-driver-calls';
import {
  NODE_DRIVER_LOOKUP_RULES,
  NODE_DRIVER_GRANTS,
  DriverGrant,
} from '../../../src/guest/machine-config/machine-config.kind';
import { NODE_DRIVERS } from '../../support/node-drivers';

function allows(rules: readonly DriverGrant[], { group, resource, name, verb }: ApiCall): boolean {
  return rules.some(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.includes(group) &&
      resources.includes(resource) &&
      verbs.includes(verb) &&
      (resourceNames === undefined || (name !== undefined && resourceNames.includes(name))),
  );
}

const refused = (rules: readonly DriverGrant[], calls: readonly ApiCall[]) =>
  calls.filter((each) => !allows(rules, each));

describe('the role of the node driver', () => {
  test.each(NODE_DRIVER_CALLS)(
    'allows every call of driver $version',
    ({ inNamespace, lookups }) => {
      expect(refused(NODE_DRIVER_GRANTS, inNamespace)).toEqual([]);
      expect(refused(NODE_DRIVER_LOOKUP_RULES, lookups)).toEqual([]);
    },
  );

  test('allows what Rancher does when a Cluster is removed', () => {
    expect(refused(NODE_DRIVER_GRANTS, CLEANUP_CALLS)).toEqual([]);
  });

  test('has no rule for a resource that neither the driver nor Rancher calls', () => {
    const calls = [
      ...NODE_DRIVER_CALLS.flatMap(({ inNamespace, lookups }) => [...inNamespace, ...lookups]),
      ...CLEANUP_CALLS,
    ];
    const called = new Set(calls.map(({ resource }) => resource));
    const granted = [...NODE_DRIVER_GRANTS, ...NODE_DRIVER_LOOKUP_RULES].flatMap(
      ({ resources }) => resources,
    );
    expect(granted.filter((resource) => !called.has(resource))).toEqual([]);
  });

  test('is compared with every driver that a Rancher bundles', () => {
    const compared = new Set(NODE_DRIVER_CALLS.map(({ version }) => version));
    expect(
      NODE_DRIVERS.map(([, driver]) => driver).filter((driver) => !compared.has(driver)),
    ).toEqual([]);
  });
});
