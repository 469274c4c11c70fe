"""Containers and what orchestrates them."""

ROWS = """
podman, nerdctl | as docker
docker-compose  | as docker compose
oc, k | as kubectl
docker          | menu | -H!remote --host!remote -c!remote --context!remote --config!flag -D --debug -l:
    --log-level: --tls! --tlscacert! --url! --connection!remote -r!remote --remote!remote
docker container, docker image, docker volume, docker network, docker system, docker context, docker buildx,
    docker builder, docker manifest, docker plugin, docker service, docker stack, docker node, docker swarm,
    docker secret, docker config, docker scout, docker trust | menu
docker compose  | menu | -f< --file< -p: --project-name: --profile: --env-file< --project-directory%
docker ps, docker images, docker logs, docker inspect, docker info, docker version, docker stats, docker
    top, docker port, docker diff, docker history, docker search, docker events, docker help, docker wait |
    run | -f: --format: --filter: -n: --tail: --since:
docker container ls, docker container list, docker container ps, docker container logs, docker container
    inspect, docker container top, docker container stats, docker container port, docker container diff |
    run
docker image ls, docker image list, docker image inspect, docker image history, docker volume ls, docker
    volume inspect, docker network ls, docker network inspect, docker system df, docker system info, docker
    system events, docker context ls, docker context show, docker context inspect, docker buildx ls, docker
    buildx version, docker manifest inspect, docker plugin ls, docker service ls, docker service ps, docker
    service logs, docker stack ls, docker stack ps, docker node ls, docker secret ls, docker config ls | run
docker buildx inspect | run | --bootstrap!runs
docker compose ps, docker compose logs, docker compose images, docker compose ls, docker compose top, docker
    compose version, docker compose port, docker compose events, docker compose config | run | -o> --output>
docker exec, docker container exec | wrap 1 elsewhere | -e: --env: -u!privilege --user!privilege -w:
    --workdir: --env-file< --detach-keys: --privileged!privilege -i -t -d --interactive --tty --detach
docker compose exec | wrap 1 elsewhere | -e: --env: -u!privilege --user!privilege -w: --workdir: --index:
    --privileged!privilege -T -d
docker run, docker create, docker container run, docker container create, docker compose run | ask remote
    check stop docker_run | -v: --volume: -e: --env: -p: --publish: --name: -w: --workdir: -u: --user:
    --entrypoint: --network: --net: --mount: --env-file: -m: --memory: --cpus: --platform: --label: -l: -h:
    --hostname: --restart: --add-host: --device: --gpus: --cap-add: --cap-drop: --security-opt: --tmpfs:
    --shm-size: --pull: --ipc: --pid: --log-driver: --ulimit:
docker build, docker buildx build, docker image build, docker buildx bake, docker compose build | ask builds
    | -f: --file: | Dockerfile @
docker compose up, docker compose start, docker compose restart, docker compose pull, docker compose create
    | ask runs_code | | compose.yaml docker-compose.yml
docker compose down, docker compose stop, docker compose kill, docker compose rm, docker stop, docker kill,
    docker rm, docker rmi, docker prune, docker restart, docker pause, docker container rm, docker container
    stop, docker container kill, docker container prune, docker image rm, docker image prune, docker volume
    rm, docker volume prune, docker network rm, docker network prune, docker system prune, docker builder
    prune, docker service rm, docker stack rm, docker swarm leave, docker container restart | ask deletes
docker cp, docker commit, docker export, docker import, docker load, docker save, docker tag, docker pull,
    docker image pull, docker start, docker rename, docker update, docker attach, docker volume create,
    docker network create, docker network connect, docker network disconnect, docker container start, docker
    swarm init, docker swarm join, docker stack deploy, docker service create, docker service update, docker
    service scale, docker context use | ask service
docker push, docker image push, docker login, docker logout, docker compose push | ask outward
kubectl         | menu | shared -n: --namespace: --context: --cluster: --kubeconfig!runs --token!secret
    -s!remote --server!remote --as!privilege --user!privilege --request-timeout: -v: --v: --cache-dir>
    --profile-output> --log-file> --client-key< --client-certificate< --certificate-authority<
kubectl get, kubectl describe | check kubectl_get | -o: --output: -l: --selector: -f< -w --watch -A
    --all-namespaces --field-selector: --sort-by: -n: --namespace: --raw!outward --template: --context: -L:
kubectl logs, kubectl version, kubectl cluster-info, kubectl api-resources, kubectl api-versions, kubectl
    explain, kubectl top, kubectl events, kubectl help, kubectl options | run | -n: --namespace: -c:
    --container: --tail: --since: -l: -f --context: --output-directory>
kubectl config, kubectl rollout, kubectl auth, kubectl certificate, kubectl plugin | menu
kubectl config get-contexts, kubectl config current-context, kubectl config get-clusters, kubectl config
    get-users, kubectl rollout status, kubectl rollout history, kubectl auth can-i, kubectl auth whoami,
    kubectl plugin list, kubectl status, kubectl project | run
kubectl whoami  | run | -t!secret --show-token!secret
kubectl config view | run | --raw!secret
kubectl exec    | ask remote check kubectl_exec | -n: --namespace: -c: --container: --context: -i -t -it

kubectl apply, kubectl create, kubectl replace, kubectl patch, kubectl edit, kubectl set, kubectl label,
    kubectl annotate, kubectl scale, kubectl autoscale, kubectl expose, kubectl run, kubectl rollout
    restart, kubectl rollout undo, kubectl rollout pause, kubectl rollout resume, kubectl cordon, kubectl
    uncordon, kubectl taint, kubectl config set, kubectl config use-context, kubectl config set-context,
    kubectl config set-credentials, kubectl config unset, kubectl config delete-context, kubectl attach,
    kubectl cp, kubectl port-forward, kubectl proxy, kubectl debug, kubectl wait, kubectl kustomize, kubectl
    diff, kubectl certificate approve | ask cloud | -f: --filename: -k: | @
kubectl delete, kubectl drain | ask deletes
k9s             | ask interactive | --help~
minikube, kind, k3d, k3s, kubectx, kubens, stern, kustomize, kompose, argocd, flux, istioctl, linkerd,
    eksctl, kops | menu
k3d cluster, kind get, argocd app, argocd cluster, argocd repo, argocd proj, minikube profile, eksctl get |
    menu
k3d cluster list, k3d cluster ls, kind get *, argocd app list, argocd app get, argocd app diff, argocd app
    history, argocd cluster list, argocd repo list, argocd proj list, minikube profile list, eksctl get *,
    minikube status, minikube ip, minikube version, argocd version, flux check, istioctl version, eksctl
    version, minikube logs, kind version, k3d version, kustomize version | run
helm            | menu | shared -n: --namespace: --kubeconfig!runs --kube-context: --kube-token!secret
    --kube-apiserver!remote --kube-as-user!privilege --kube-as-group!privilege --registry-config<
    --repository-cache> --post-renderer!runs
helm list, helm ls, helm status, helm history, helm version, helm search, helm env, helm lint, helm help |
    run
helm repo, helm show, helm get, helm plugin, helm dependency | menu
helm repo list, helm show *, helm get values, helm get notes, helm get manifest, helm get hooks, helm get
    metadata, helm plugin list, helm dependency list | run
helm install, helm upgrade, helm rollback, helm repo add, helm repo update, helm repo remove, helm push,
    helm pull, helm create, helm package, helm test, helm template, helm get all, helm plugin install | ask
    cloud
helm uninstall, helm delete | ask deletes
virsh, qemu-system-x86_64 | sub | -v= -version=
crictl, ctr, runc, buildah, skopeo, lxc, incus, multipass, vagrant, VBoxManage | menu
buildah images, buildah containers, skopeo inspect, lxc list, lxc info, vagrant global-status, multipass
    list, multipass info, virsh list, virsh dominfo, incus list, crictl ps, crictl images, crictl pods | run
"""
