/** Whether what clients of several servers saw could have come from one. */
package io.mgtm.query.check;
