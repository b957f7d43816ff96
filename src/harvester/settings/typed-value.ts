import { Construct } from 'constructs';
import { checkSettingProps, objectsOf } from './harvester-settings.check';
import { printHarvesterSetting, SettingName, SettingValue } from './harvester-settings.data';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/construct/target';
import { failOnErrorsAt, parsedAt } from '../../core/problem/problem';
import { checkSameHarvester } from '../harvester-object';

/**
 * The text of the value that a typed method of HarvesterSetting takes. Throws before the construct
 * exists if the value is not valid, if it names an object of another Harvester, if a secret is not
 * set, or if a duration is not whole.
 */
export function printTypedValue<N extends SettingName>(
  scope: Construct,
  id: string,
  name: N,
  value: SettingValue<N>,
): string {
  const path = `${scope.node.path}/${id}`;
  const harvester = () => harvesterTargetOf(scope, 'HarvesterSetting');
  const version = () => harvester().version;
  const ofObjects = objectsOf(name, value).flatMap(([prop, object]) =>
    checkSameHarvester(prop, object.name, object.target as IHarvesterTarget, harvester()),
  );
  failOnErrorsAt(path, [...ofObjects, ...checkSettingProps(name, value, version)]);
  return parsedAt(path, name, () => printHarvesterSetting(name, value, version));
}
