import { IConstruct } from 'constructs';
import { EdgeType, Edges } from '../late';
import { attach, attached } from '../model/attached';
import { IHarvesterTarget } from '../model/target';

const CLASSES = Symbol.for('cdk8s-harvester.DefaultStorageClass');
const USERS = Symbol.for('cdk8s-harvester.DefaultStorageClass.users');

/** Declares a StorageClass that claims and images get which name none; those of the program wait for it, wherever they are declared. */
export function declareDefaultClass(harvester: IHarvesterTarget, storageClass: IConstruct): void {
  attach(harvester, CLASSES, storageClass);
  for (const user of attached<IConstruct>(harvester, USERS)) { Edges.of(user)._add(storageClass, EdgeType.APPLIED); }
}

/** Declares what gets the default StorageClass. */
export function useDefaultClass(harvester: IHarvesterTarget, user: IConstruct): void {
  attach(harvester, USERS, user);
  for (const storageClass of attached<IConstruct>(harvester, CLASSES)) { Edges.of(user)._add(storageClass, EdgeType.APPLIED); }
}
